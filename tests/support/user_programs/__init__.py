"""Programs as users of other libraries write them, where they have derivatives."""

from tests.support.user_programs import (
    decompositions,
    derivatives_inside,
    descents,
    layouts,
    networks,
    physics,
    processes,
    scatters,
    solvers,
    tables,
    waves,
)

MODULES = (decompositions, derivatives_inside, descents, layouts, networks, physics, processes,
           scatters, solvers, tables, waves)
PROGRAMS = [program for module in MODULES for program in module.PROGRAMS]
