-- SPDX-License-Identifier: Apache-2.0
-- One ledger's database; run by psql as superuser, after roles.sql. It stays empty until
-- `fairtrial admin migrate`, and holds no log until `fairtrial init`.
-- Reads FAIRTRIAL_DATABASE (default fairtrial) and FAIRTRIAL_TEMPLATE (default template0).
\set database fairtrial
\set template template0
\getenv database FAIRTRIAL_DATABASE
\getenv template FAIRTRIAL_TEMPLATE

CREATE DATABASE :"database" OWNER fairtrial_owner TEMPLATE :"template";
REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"database" TO fairtrial_migrator, fairtrial_app;
