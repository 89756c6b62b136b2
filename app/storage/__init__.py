# SPDX-License-Identifier: Apache-2.0
"""Where bytes are kept: tables on SQLite and PostgreSQL, keys, and shipped documents."""
