"""Every error and warning that autograph raises, under one name: `ag.errors.TracingError`."""

from autograph.runtime.ir.errors import CaptureError as CaptureError
from autograph.runtime.ir.errors import CheckError as CheckError
from autograph.runtime.ir.errors import EndlessError as EndlessError
from autograph.runtime.ir.errors import EscapedTensorError as EscapedTensorError
from autograph.runtime.ir.errors import ExportError as ExportError
from autograph.runtime.ir.errors import GraphError as GraphError
from autograph.runtime.ir.errors import InvalidArgumentError as InvalidArgumentError
from autograph.runtime.ir.errors import LoadError as LoadError
from autograph.runtime.ir.errors import NativeUnavailableError as NativeUnavailableError
from autograph.runtime.ir.errors import NotDifferentiable as NotDifferentiable
from autograph.runtime.ir.errors import NumericsWarning as NumericsWarning
from autograph.runtime.ir.errors import RetracingWarning as RetracingWarning
from autograph.runtime.ir.errors import SaveError as SaveError
from autograph.runtime.ir.errors import SignatureError as SignatureError
from autograph.runtime.ir.errors import StandaloneError as StandaloneError
from autograph.runtime.ir.errors import SymbolicValueError as SymbolicValueError
from autograph.runtime.ir.errors import TracingError as TracingError
from autograph.runtime.ir.errors import UnrollingWarning as UnrollingWarning
from autograph.syntax.errors import AutographError as AutographError
from autograph.syntax.errors import ConversionError as ConversionError
from autograph.syntax.errors import InternalError as InternalError
from autograph.syntax.errors import SourceSyntaxError as SourceSyntaxError
from autograph.syntax.errors import SourceUnavailableError as SourceUnavailableError
from autograph.syntax.errors import UnsupportedFunctionError as UnsupportedFunctionError
from autograph.syntax.errors import UnsupportedSyntaxError as UnsupportedSyntaxError
