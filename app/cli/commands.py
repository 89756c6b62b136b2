# SPDX-License-Identifier: Apache-2.0
"""Every command by its name, and where it stands.

Commands of a group that stand in its own module are named there.
"""

from __future__ import annotations

from typing import Final

from app.cli.on_demand import Row

ROWS: Final = (
    Row(
        "init",
        "local:init",
        says="Begin a ledger: database, keys, genesis, and one person's keys in every role.",
        example="fairtrial init --origin ledger.example/sparks --repository "
        "git.example/owner/name --holder ada",
    ),
    Row(
        "serve",
        "local:serve",
        says="Serve the ledger that `init` made, until interrupted.",
        example="fairtrial serve --host 127.0.0.1 --port 8000",
    ),
    Row(
        "fsck",
        "local:fsck",
        says="Re-hash and re-derive the whole ledger, and name the first index that is wrong.",
        example="fairtrial fsck --data-dir ./var --json",
    ),
    Row(
        "demo",
        "local:demo",
        says="Build the example ledger, print the URL of every page to open, and serve it.",
        example="fairtrial demo --data-dir ./var --port 8000",
    ),
    Row(
        "doctor",
        "doctor:doctor",
        says="Check configuration, keys, database, disk, and the service: its clock, version "
        "and grants.",
        example="fairtrial doctor --data-dir ledger --key ledger/keys/admin.pem",
    ),
    Row(
        "sign",
        "signing:sign_file",
        says="Print the signed envelope of FILE: a predicate or a whole statement.",
        example="fairtrial sign policy policy.json --key maintainer.pem",
    ),
    Row(
        "deviate",
        "deviations:deviate",
        says="Put a deviation on the head's line, beside the computed states and never instead"
        " of them.",
        example="fairtrial deviate STUDY --what 'the wrapper used the wrong URL' --phase warmup "
        "--end --key keys/runner.pem",
    ),
    Row(
        "review",
        "people:review",
        says="Put a review on the head's line; a newer one of yours supersedes the one before.",
        example="fairtrial review HEAD --scope source --did 'read the delta' --did-not 'live "
        "endpoints' --key keys/reviewer.pem",
    ),
    Row(
        "decide",
        "people:decide",
        says="Put a decision on the head's line; the computed word stays what it is.",
        example="fairtrial decide HEAD waived --scope performance --claim land --reason 'off by "
        "default' --key keys/maintainer.pem",
    ),
    Row(
        "key retire",
        "key_endings:retire",
        example="fairtrial key retire --reason 'new machine' --key keys/old.pem",
    ),
    Row(
        "key revoke",
        "key_endings:revoke",
        example="fairtrial key revoke KEY-ID --reason 'the disk was lost' --suspect-from 120 "
        "--key keys/admin.pem --also keys/second-admin.pem",
    ),
    Row(
        "protocol new",
        "drafting:new",
        example="fairtrial protocol new --from comparison-blocks -o draft.json",
    ),
    Row(
        "protocol diff",
        "drafting:diff",
        example="fairtrial protocol diff protocols/comparison-blocks.v1.json draft.json",
    ),
    Row(
        "protocol versions",
        "versions:versions",
        example="fairtrial protocol versions comparison-blocks --json",
    ),
    Row(
        "study status",
        "progress:status",
        example="fairtrial study status STUDY --json",
    ),
    Row(
        "study watch",
        "progress:watch",
        example="fairtrial study watch STUDY --timeout 3600",
    ),
    Row(
        "study end",
        "progress:end",
        example="fairtrial study end STUDY --why 'spark-2 lost its GPU' --phase warmup --key "
        "keys/maintainer.pem",
    ),
    Row(
        "import",
        "importing:import_report",
        says="Make a capture of a report that another tool wrote; nothing is sent anywhere.",
        example="fairtrial import junit report.xml --suite cpu-suite --named "
        "helper-v5=tests.helpers::test_v5 --artifact helper-v5=helpers/v5.py -o "
        "capture.json",
    ),
    Row(
        "verdict",
        "verdicts:verdict",
        says="Print the word about one exact head, and who acts next.",
        example="fairtrial verdict HEAD --repository git.example/owner/name --claim land --exit-"
        "code",
    ),
    Row(
        "bundle",
        "verdicts:bundle",
        says="Download everything a verdict is computed from: the three lines whole, as JSON "
        "lines.",
        example="fairtrial bundle HEAD --repository git.example/owner/name -o head.jsonl",
    ),
    Row(
        "score",
        "verdicts:score",
        says="Compute the verdicts of a bundle, without a server and without a socket.",
        example="fairtrial score head.jsonl --claim land",
    ),
    Row(
        "verify",
        "verifying:verify",
        says="Check everything a verdict rests on, offline on a bundle; 0 only when all of it "
        "holds.",
        example="fairtrial verify head.jsonl --trust fairtrial.toml --claim land",
    ),
    Row(
        "completion",
        "completing:completion",
        says="Print the script that makes a shell complete this command's words.",
        example="source <(fairtrial completion bash)",
    ),
    Row(
        "version",
        "completing:version",
        says="Print the version of this program.",
        example="fairtrial version --json",
    ),
    Row(
        "key",
        "keys:commands",
        says="Make, request, register, list and end keys.",
    ),
    Row(
        "protocol",
        "protocols:commands",
        says="Lint, lock and show protocols.",
    ),
    Row(
        "policy",
        "policies:commands",
        says="Set and show a repository's policy.",
    ),
    Row(
        "study",
        "studies:commands",
        says="Open studies, follow and end them.",
    ),
    Row(
        "slot",
        "slots:commands",
        says="Reserve the slots of a study.",
    ),
    Row(
        "receipt",
        "receipts:commands",
        says="Push receipts with their captures; show them.",
    ),
    Row(
        "hold",
        "holds:commands",
        says="Place and clear holds.",
    ),
    Row(
        "log",
        "logs:commands",
        says="Look at the log.",
    ),
    Row(
        "admin",
        "admin:commands",
        says="Operate the ledger's database.",
    ),
)
"""In the order in which they are listed."""
