"""Ordinary Python over NumPy, rewritten, traced into a graph and run: `import autograph as ag`.

Functions    function, grad, value_and_grad, stop_gradient, vmap
Conversion   convert, do_not_convert, to_code, to_graph, register_replacement, set_loop_options,
             convert_imports, trace_into
In graphs    print, Assert, py_function, numpy_function, live, cond, case, switch_case, while_loop,
             for_loop, map_fn, scan, foldl, foldr, vectorized_map
Values       Variable, TensorArray, Module, Tensor, TensorSpec, FunctionType, ConcreteFunction
To find out  check, debugging, config, errors, run_functions_eagerly, set_verbosity, trace
"""

import sys as _sys
from typing import TYPE_CHECKING as _TYPE_CHECKING

from autograph.facade import Facade as _Facade
from autograph.facade import star_names as _star_names
from autograph.version import __version__ as __version__

if _TYPE_CHECKING:  # as the program runs, `autograph.facade.HOMES` says where each name is from
    from autograph import errors as errors
    from autograph.checking import check as check
    from autograph.conversion.convert import convert as convert
    from autograph.conversion.convert import converted as converted
    from autograph.conversion.convert import do_not_convert as do_not_convert
    from autograph.conversion.convert import register_replacement as register_replacement
    from autograph.conversion.import_hook import convert_imports as convert_imports
    from autograph.function import config as config
    from autograph.function import debugging as debugging
    from autograph.function.config import executing_eagerly as executing_eagerly
    from autograph.function.config import functions_run_eagerly as functions_run_eagerly
    from autograph.function.config import init_scope as init_scope
    from autograph.function.config import inside_function as inside_function
    from autograph.function.config import run_functions_eagerly as run_functions_eagerly
    from autograph.function.function import function as function
    from autograph.gradients.checkpoints import checkpoint as checkpoint
    from autograph.gradients.forward import hvp as hvp
    from autograph.gradients.forward import jvp as jvp
    from autograph.gradients.jacobian import hessian as hessian
    from autograph.gradients.jacobian import jacobian as jacobian
    from autograph.gradients.linear import linearize as linearize
    from autograph.gradients.pullback import vjp as vjp
    from autograph.gradients.reverse import grad as grad
    from autograph.gradients.reverse import value_and_grad as value_and_grad
    from autograph.gradients.rules import custom_gradient as custom_gradient
    from autograph.gradients.rules import custom_jvp as custom_jvp
    from autograph.gradients.rules import custom_vjp as custom_vjp
    from autograph.gradients.stopped import stop_gradient as stop_gradient
    from autograph.gradients.tape import GradientTape as GradientTape
    from autograph.libraries import trace_into as trace_into
    from autograph.operators import *  # noqa: F403  # the operators are the façade's, name by name
    from autograph.runtime.api.debugging import Assert as Assert
    from autograph.runtime.api.printing import print as print
    from autograph.runtime.api.python_calls import live as live
    from autograph.runtime.api.python_calls import numpy_function as numpy_function
    from autograph.runtime.api.python_calls import py_function as py_function
    from autograph.runtime.export.onnx import export_onnx as export_onnx
    from autograph.runtime.functions.concrete_function import ConcreteFunction as ConcreteFunction
    from autograph.runtime.ir.errors import CacheWarning as CacheWarning
    from autograph.runtime.ir.errors import CaptureError as CaptureError
    from autograph.runtime.ir.errors import CheckError as CheckError
    from autograph.runtime.ir.errors import FallbackWarning as FallbackWarning
    from autograph.runtime.ir.errors import InvalidArgumentError as InvalidArgumentError
    from autograph.runtime.ir.errors import NotDifferentiable as NotDifferentiable
    from autograph.runtime.ir.errors import NumericsWarning as NumericsWarning
    from autograph.runtime.ir.errors import RetracingWarning as RetracingWarning
    from autograph.runtime.ir.errors import SignatureError as SignatureError
    from autograph.runtime.ir.errors import UnrollingWarning as UnrollingWarning
    from autograph.runtime.ir.errors import VerificationError as VerificationError
    from autograph.runtime.ir.errors import VerificationWarning as VerificationWarning
    from autograph.runtime.serialize.checkpoint import Checkpoint as Checkpoint
    from autograph.runtime.serialize.save import load as load
    from autograph.runtime.serialize.save import save as save
    from autograph.runtime.signatures.function_type import FunctionType as FunctionType
    from autograph.runtime.signatures.spec import TensorSpec as TensorSpec
    from autograph.runtime.signatures.spec import type_spec_from_value as type_spec_from_value
    from autograph.runtime.symbolic.module import Module as Module
    from autograph.runtime.symbolic.tensor import Tensor as Tensor
    from autograph.runtime.symbolic.tensor_array import TensorArray as TensorArray
    from autograph.runtime.symbolic.variables import IndexedSlices as IndexedSlices
    from autograph.runtime.symbolic.variables import Variable as Variable
    from autograph.syntax.directives import set_loop_options as set_loop_options
    from autograph.syntax.errors import ConversionError as ConversionError
    from autograph.syntax.errors import SourceUnavailableError as SourceUnavailableError
    from autograph.syntax.verbosity import set_verbosity as set_verbosity
    from autograph.syntax.verbosity import trace as trace
    from autograph.tensorflow import experimental as experimental
    from autograph.tensorflow.experimental import Feature as Feature
    from autograph.tensorflow.experimental import Status as Status
    from autograph.tensorflow.experimental import control_status_ctx as control_status_ctx
    from autograph.tensorflow.experimental import to_code as to_code
    from autograph.tensorflow.experimental import to_graph as to_graph
    from autograph.tensorflow.functional import case as case
    from autograph.tensorflow.functional import foldl as foldl
    from autograph.tensorflow.functional import foldr as foldr
    from autograph.tensorflow.functional import map_fn as map_fn
    from autograph.tensorflow.functional import scan as scan
    from autograph.tensorflow.functional import switch_case as switch_case
    from autograph.tensorflow.functional import vectorized_map as vectorized_map
    from autograph.tensorflow.functional import vmap as vmap

autograph = _sys.modules[__name__]  # `tf.autograph.to_graph` becomes `ag.autograph.to_graph`
autograph.__class__ = _Facade
__all__ = _star_names()
