"""The tests of CPython that fail when the module under test is converted, and why they must."""

from __future__ import annotations

from fnmatch import fnmatchcase

LEVELS = "it names a frame by how many calls are above it; operators and branches are calls, too"
TRACED = "it lists the frames, calls or lines of a run, and operators have some of their own"
BYTECODE = "it shows the names that the code of a library function uses"
LIMIT = "it counts on the recursion limit that there is without converted code"
BUILTINS = "it gives a builtin another meaning while the program runs"
GLOBALS = "it looks at all globals of the module, where the operators are for this run"
OBJECTS = "it counts the objects or the look-ups of the whole interpreter"

KNOWN: dict[str, str] = {
    "test.test_bdb.*": TRACED,
    "test.test_contextlib.TestExitStack.test_exit_exception_traceback": TRACED,
    "test.test_descr.ClassPropertiesAndMethods.test_slots": OBJECTS,
    "test.test_descr.ClassPropertiesAndMethods.test_special_method_lookup": OBJECTS,
    "test.test_dis.BytecodeTests.test_info": BYTECODE,
    "test.test_dis.CodeInfoTests.*": BYTECODE,
    "test.test_doctest.test_DocFileSuite": LEVELS,
    "test.test_doctest.test_testfile": LEVELS,
    "test.test_doctest.test_unittest_reportflags": LEVELS,
    "test.test_dynamic.RebindBuiltinsTests.*": BUILTINS,
    "test.test_exception_group.DeepRecursionInSplitAndSubgroup.*": LIMIT,
    "test.test_exceptions.ExceptionTests.test_recursion_in_except_handler": LIMIT,
    "test.test_funcattrs.FunctionPropertiesTest.test___builtins__": GLOBALS,
    "test.test_functools.TestLRUPy.test_lru_reentrancy_with_len": BUILTINS,
    "test.test_gettext.*PluralFormsTestCase.test_plural*forms": LEVELS,
    "test.test_logging.ExceptionTest.test_formatting": TRACED,
    "test.test_logging.HTTPHandlerTest.test_output": LEVELS,
    "test.test_logging.LoggerTest.test_find_caller_with_stacklevel": LEVELS,
    "test.test_operator.*OperatorTestCase.test___all__": GLOBALS,
    "test.test_patma.TestTracing.*": TRACED,
    "test.test_re.ReTests.test_re_groupref_exists_errors": LEVELS,
    "test.test_re.ReTests.test_symbolic_*_errors": LEVELS,
    "test.test_tomllib.test_misc.TestMiscellaneous.test_inline_*_recursion_limit": LIMIT,
    "test.test_trace.*": TRACED,
    "test.test_traceback.TestStack.test_custom_format_frame": TRACED,
    "test.test_traceback.TestStack.test_format_locals": TRACED,
    "test.test_traceback.TracebackFormatTests.test_recursive_traceback_cpython_internal": LIMIT,
    "test.test_typing.ProtocolTests.*": LEVELS,
    "unittest.test.*.test_deprecation_of_return_val_from_test": LEVELS,
}
"""Patterns of test names."""


def reason_for(test: str) -> str | None:
    """Why a test may fail, if it is known."""
    return next((reason for pattern, reason in KNOWN.items() if fnmatchcase(test, pattern)), None)
