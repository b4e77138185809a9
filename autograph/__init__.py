"""Ordinary Python over NumPy, rewritten, traced into a graph and run: `import autograph as ag`."""

import sys

from autograph import config as config
from autograph import debugging as debugging
from autograph import experimental as experimental
from autograph import stateful as stateful
from autograph.checking import check as check
from autograph.config import executing_eagerly as executing_eagerly
from autograph.config import functions_run_eagerly as functions_run_eagerly
from autograph.config import init_scope as init_scope
from autograph.config import inside_function as inside_function
from autograph.config import run_functions_eagerly as run_functions_eagerly
from autograph.convert import convert as convert
from autograph.convert import converted as converted
from autograph.convert import do_not_convert as do_not_convert
from autograph.convert import register_replacement as register_replacement
from autograph.directives import set_loop_options as set_loop_options
from autograph.errors import ConversionError as ConversionError
from autograph.errors import SourceUnavailableError as SourceUnavailableError
from autograph.experimental import Feature as Feature
from autograph.experimental import Status as Status
from autograph.experimental import control_status_ctx as control_status_ctx
from autograph.experimental import to_code as to_code
from autograph.experimental import to_graph as to_graph
from autograph.function import function as function
from autograph.functional import case as case
from autograph.functional import foldl as foldl
from autograph.functional import foldr as foldr
from autograph.functional import map_fn as map_fn
from autograph.functional import scan as scan
from autograph.functional import switch_case as switch_case
from autograph.functional import vectorized_map as vectorized_map
from autograph.functional import vmap as vmap
from autograph.operators import *  # noqa: F403  # the operators are the façade's, name by name
from autograph.runtime.concrete import ConcreteFunction as ConcreteFunction
from autograph.runtime.debugging import Assert as Assert
from autograph.runtime.errors import CaptureError as CaptureError
from autograph.runtime.errors import CheckError as CheckError
from autograph.runtime.errors import InvalidArgumentError as InvalidArgumentError
from autograph.runtime.errors import NumericsWarning as NumericsWarning
from autograph.runtime.errors import RetracingWarning as RetracingWarning
from autograph.runtime.errors import SignatureError as SignatureError
from autograph.runtime.errors import UnrollingWarning as UnrollingWarning
from autograph.runtime.module import Module as Module
from autograph.runtime.printing import print as print
from autograph.runtime.python_calls import live as live
from autograph.runtime.python_calls import numpy_function as numpy_function
from autograph.runtime.python_calls import py_function as py_function
from autograph.runtime.signature import FunctionType as FunctionType
from autograph.runtime.spec import TensorSpec as TensorSpec
from autograph.runtime.spec import type_spec_from_value as type_spec_from_value
from autograph.runtime.tensor import Tensor as Tensor
from autograph.runtime.tensor_array import TensorArray as TensorArray
from autograph.runtime.variables import IndexedSlices as IndexedSlices
from autograph.runtime.variables import Variable as Variable
from autograph.verbosity import set_verbosity as set_verbosity
from autograph.verbosity import trace as trace

autograph = sys.modules[__name__]  # `tf.autograph.to_graph` becomes `ag.autograph.to_graph`
