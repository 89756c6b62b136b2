# SPDX-License-Identifier: Apache-2.0
"""The command ``fairtrial``, a file a command group: stdout is the result, stderr the progress."""
