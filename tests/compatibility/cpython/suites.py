"""Which tests of CPython exercise which modules of its standard library."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Suite:
    """The modules to convert, and the test modules to run; a package stands for all in it."""

    targets: tuple[str, ...]
    tests: tuple[str, ...]


def _same(*names: str) -> dict[str, Suite]:
    """Modules whose tests are called after them."""
    return {name: Suite((name,), (f"test.test_{name.replace('.', '_')}",)) for name in names}


def _language(*names: str) -> dict[str, Suite]:
    """Tests of the language itself: the test functions are what is converted."""
    return {f"test_{name}": Suite((f"test.test_{name}",), (f"test.test_{name}",)) for name in names}


SUITES = {
    **_same(
        "abc", "argparse", "ast", "base64", "bdb", "bisect", "calendar", "cmd", "code",
        "codecs", "codeop", "collections", "colorsys", "configparser", "contextlib", "copy",
        "copyreg", "csv", "dataclasses", "difflib", "dis", "doctest",
        "email", "enum", "filecmp", "fileinput", "fnmatch", "fractions", "functools",
        "getopt", "getpass", "gettext", "glob", "graphlib", "gzip", "hashlib", "heapq", "hmac",
        "html", "http.cookiejar", "http.cookies", "imaplib", "inspect", "ipaddress", "json",
        "keyword", "linecache", "locale", "logging", "mailbox", "mimetypes",
        "modulefinder", "netrc", "ntpath", "operator", "optparse", "os", "pathlib",
        "pickle", "pickletools", "pkgutil", "platform", "plistlib", "posixpath", "pprint",
        "profile", "pstats", "pyclbr", "queue", "quopri", "random", "re", "reprlib", "rlcompleter",
        "sched", "secrets", "selectors", "shelve", "shlex", "shutil", "smtplib", "socketserver",
        "stat", "statistics", "string", "stringprep", "struct", "subprocess", "symtable",
        "sysconfig", "tabnanny", "tarfile", "tempfile", "textwrap", "threading", "timeit",
        "tokenize", "tomllib", "trace", "traceback", "types", "typing", "urllib", "uuid",
        "warnings", "wave", "weakref", "webbrowser", "wsgiref", "xmlrpc", "zipapp", "zipfile",
        "zipimport", "zoneinfo",
    ),
    "datetime": Suite(("datetime", "_strptime"), ("test.test_datetime", "test.test_strptime")),
    "decimal": Suite(("decimal", "_pydecimal"), ("test.test_decimal",)),
    "genericpath": Suite(("genericpath",), ("test.test_genericpath",)),
    "html.parser": Suite(("html",), ("test.test_htmlparser", "test.test_html")),
    "http.client": Suite(("http.client",), ("test.test_httplib",)),
    "http.server": Suite(("http.server",), ("test.test_httpservers",)),
    "io": Suite(("io", "_pyio"), ("test.test_io", "test.test_memoryio")),
    "numbers": Suite(("numbers",), ("test.test_abstract_numbers", "test.test_numeric_tower")),
    "opcode": Suite(("opcode", "dis"), ("test.test__opcode",)),
    "collections.abc": Suite(("_collections_abc", "collections"),
                             ("test.test_ordered_dict", "test.test_userdict", "test.test_userlist",
                              "test.test_userstring", "test.test_defaultdict")),
    "unittest": Suite(("unittest",), ("test.test_unittest",)),
    "urllib.parse": Suite(("urllib.parse",), ("test.test_urlparse",)),
    "urllib.request": Suite(("urllib",), ("test.test_urllib2", "test.test_urllib_response")),
    "urllib.robotparser": Suite(("urllib",), ("test.test_robotparser",)),
    "weakset": Suite(("_weakrefset", "weakref"), ("test.test_weakset",)),
    "xml.dom": Suite(("xml.dom",), ("test.test_minidom", "test.test_xml_dom_minicompat",
                                    "test.test_pulldom")),
    "xml.etree": Suite(("xml.etree",), ("test.test_xml_etree",)),
    "xml.sax": Suite(("xml.sax",), ("test.test_sax",)),
    **_language(
        "augassign", "baseexception", "binop", "bool", "compare", "complex", "contains",
        "decorators", "descr", "dict", "dictviews", "dynamic", "enumerate", "except_star",
        "exception_group", "exception_hierarchy", "exception_variations", "exceptions", "extcall",
        "float", "format", "fstring", "funcattrs", "generator_stop", "generators", "genericalias",
        "genericclass", "global", "grammar", "hash", "index", "int", "isinstance", "iter",
        "iterlen", "itertools", "keywordonlyarg", "list", "listcomps", "long", "math", "metaclass",
        "named_expressions", "opcache", "opcodes", "patma", "positional_only_arg", "pow",
        "property", "raise", "range", "richcmp", "scope", "set", "slice", "sort", "subclassinit",
        "super", "tuple", "type_annotations", "typechecks", "unary", "unpack", "unpack_ex", "with",
        "yield_from",
    ),
}
"""The name under which a suite is known: its module, or `test_…` for tests of the language."""
