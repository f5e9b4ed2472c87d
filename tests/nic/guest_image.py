"""The guest's first file system: busybox, our programs with the libraries they are linked to, modules and a configuration."""
import gzip
import os
import re
import shutil
import subprocess

INIT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guest_init")


def build(folder, programs, modules, files):
    """Makes FOLDER/initrd.gz and returns its path; `files`: texts by their absolute paths in the guest."""
    root = os.path.join(folder, "root")
    for name in ("bin", "modules", "etc/tickpath"):
        os.makedirs(os.path.join(root, name))
    _copy(INIT, root, "/init")
    _copy(shutil.which("busybox"), root, "/bin/busybox")
    for program in programs:
        _copy(program, root, "/bin/" + os.path.basename(program))
        for library in _libraries(program):
            _copy(library, root, library)
    for module in modules:
        _copy(module, root, "/modules/" + os.path.basename(module))
    order = "".join(os.path.basename(module).removesuffix(".ko") + "\n" for module in modules)
    for path, text in (files | {"/modules/order": order}).items():
        with open(root + path, "w", encoding="utf-8") as file:
            file.write(text)
    return _pack(root, os.path.join(folder, "initrd.gz"))


def _copy(path, root, name):
    os.makedirs(os.path.dirname(root + name), exist_ok=True)
    shutil.copy(path, root + name)
    os.chmod(root + name, 0o755)


def _libraries(executable):
    """Absolute paths of all it is linked to, the loader's own among them."""
    listing = subprocess.run(["ldd", executable], capture_output=True, text=True, check=True, timeout=60).stdout
    return re.findall(r"(/\S+) \(0x", listing)


def _pack(root, path):
    names = subprocess.run(["find", ".", "-print0"], cwd=root, capture_output=True, check=True, timeout=60).stdout
    # Owned by root, whoever packs it.
    archive = subprocess.run(["cpio", "--null", "--create", "--format=newc", "--quiet", "--owner=+0:+0"], cwd=root, input=names,
                             capture_output=True, check=True, timeout=60).stdout
    with open(path, "wb") as file:
        file.write(gzip.compress(archive, 1))
    return path
