"""The list of a release's components (SBOM) in SPDX 2.3: what the archive is, what it contains, what the build links."""

import json
import re
import subprocess
import time
import uuid

# What the project contains of others, with its licence.
CONTAINED = {"page": [("cJSON", "MIT", "compiled into the page of the browser"),
                      ("DejaVu fonts", "Bitstream-Vera", "as a table of glyphs in the page of the browser")]}
# Dependencies that Meson reports and that are part of the system, or of the tests alone.
NOT_LINKED = {"threads", "python3", "python-3.11", "check", "fftw3", "fftw3f", "appleframeworks"}


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", name)


def dependencies(build):
    """(name, version) of the libraries that a build links, as Meson found them."""
    told = subprocess.run(["meson", "introspect", "--dependencies", build], capture_output=True, text=True, check=True).stdout
    found = {one["name"]: one.get("version", "") for one in json.loads(told) if one.get("link_args")}
    return sorted((name, version) for name, version in found.items()
                  if name and name.lower() not in NOT_LINKED and not name.lower().startswith("python"))


def package(name, version, licence, **others):
    return {"SPDXID": identifier(name), "name": name, "versionInfo": version or "NOASSERTION", "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION", **others}


def relation(kind, first, second):
    return {"spdxElementId": first, "relationshipType": kind, "relatedSpdxElement": second}


def make(number, archive, digest, linked, has_page, seconds):
    """Returns the document as JSON text."""
    document, root = "SPDXRef-DOCUMENT", identifier("cm200")
    packages = [package("cm200", number, "MIT", packageFileName=archive, primaryPackagePurpose="APPLICATION",
                        supplier="Organization: The cm200 authors",
                        checksums=[{"algorithm": "SHA256", "checksumValue": digest}])]
    relations = [relation("DESCRIBES", document, root)]
    for name, version in linked:
        packages.append(package(name, version, "NOASSERTION", primaryPackagePurpose="LIBRARY"))
        relations.append(relation("DEPENDS_ON", root, identifier(name)))
    for name, licence, comment in CONTAINED["page"] if has_page else []:
        packages.append(package(name + " in the page", "", licence, comment=comment))
        relations.append(relation("CONTAINS", root, identifier(name + " in the page")))
    made = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": document, "name": "cm200-" + number,
            "documentNamespace": "urn:uuid:%s" % uuid.uuid5(uuid.NAMESPACE_OID, "cm200 %s %s" % (number, digest)),
            "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds)),
                             "creators": ["Tool: cm200-scripts-release", "Organization: The cm200 authors"]},
            "packages": packages, "relationships": relations}
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"
