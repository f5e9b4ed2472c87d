"""Debian's kernel and the modules that hand a card to user space, taken from the package and kept in the build folder.

Nothing is installed: `apt-get download` fetches the package that linux-image-amd64 depends on, once for each of its versions.
"""
import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

FETCH_TIMEOUT_S = 120
# In the order in which they are loaded; some kernels have parts of vfio in others, and then no file of its own.
MODULES = {
    "uio_pci_generic": ("drivers/uio/uio", "drivers/uio/uio_pci_generic"),
    "vfio-pci": ("virt/lib/irqbypass", "drivers/vfio/vfio_virqfd", "drivers/vfio/vfio", "drivers/vfio/vfio_iommu_type1",
                 "drivers/vfio/pci/vfio-pci-core", "drivers/vfio/pci/vfio-pci"),
}


class GuestKernel:
    def __init__(self, folder):
        self.image = glob.glob(os.path.join(folder, "boot/vmlinuz-*"))[0]
        self._modules = glob.glob(os.path.join(folder, "lib/modules/*/kernel"))[0]

    def modules(self, driver):
        """Files to load, in this order, before `driver` takes a card."""
        paths = [os.path.join(self._modules, name + ".ko") for name in MODULES[driver]]
        return [path for path in paths if os.path.exists(path)]


def fetch(cache):
    """The kernel in the folder `cache`, fetched if need be; skips the test, in words, where there is none to be had."""
    package = _package_name()
    folder = _unpacked(cache, package) if package else _any_unpacked(cache)
    if folder is None:
        raise unittest.SkipTest("no kernel for the guest: apt offers no linux-image-amd64 here, and none is in " + cache)
    return GuestKernel(folder)


def _package_name():
    if shutil.which("apt-cache") is None:
        return None
    answer = subprocess.run(["apt-cache", "depends", "linux-image-amd64"], capture_output=True, text=True, check=False, timeout=60)
    found = re.search(r"Depends: (linux-image-\S+)", answer.stdout)
    return found and found[1]


def _any_unpacked(cache):
    return max(glob.glob(os.path.join(cache, "linux-image-*")), key=os.path.getmtime, default=None)


def _unpacked(cache, package):
    folder = os.path.join(cache, package)
    if os.path.isdir(folder):
        return folder
    os.makedirs(cache, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="fetch-") as place:
        trouble = _download(package, place)
        packages = glob.glob(os.path.join(place, "*.deb"))
        if trouble or not packages:
            kept = _any_unpacked(cache)
            if kept is None:
                raise unittest.SkipTest(f"no kernel for the guest: apt-get download {package}: {trouble}")
            return kept
        unpacked = os.path.join(place, "unpacked")
        os.mkdir(unpacked)
        _unpack(packages[0], unpacked)
        os.rename(unpacked, folder)
    return folder


def _download(package, place):
    """What went wrong, in words, or nothing."""
    try:
        told = subprocess.run(["apt-get", "download", package], cwd=place, capture_output=True, text=True, check=False,
                              timeout=FETCH_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return f"no answer within {FETCH_TIMEOUT_S} s"
    return told.stderr.strip()[-300:] if told.returncode != 0 else ""


def _unpack(package, folder):
    """Of 400 MB only the few files that a guest needs."""
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE) as content:
        subprocess.run(["tar", "-x", "-C", folder, "--wildcards", "./boot/vmlinuz-*", "*/drivers/uio/*.ko", "*/drivers/vfio/*.ko",
                        "*/virt/lib/*.ko"], stdin=content.stdout, check=True, timeout=FETCH_TIMEOUT_S)
    if content.returncode != 0:
        raise AssertionError(f"dpkg-deb cannot read {package}")
