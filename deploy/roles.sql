-- SPDX-License-Identifier: Apache-2.0
-- The roles of a Fairtrial cluster; run once by psql as superuser, before database.sql.
-- Reads FAIRTRIAL_APP_PASSWORD and FAIRTRIAL_MIGRATOR_PASSWORD from the environment.
--
-- The owner of the ledger's tables cannot log in: owner DDL can rewrite rows, so the service is never
-- the owner, and a migration becomes it only by saying SET ROLE.
\getenv app_password FAIRTRIAL_APP_PASSWORD
\getenv migrator_password FAIRTRIAL_MIGRATOR_PASSWORD

CREATE ROLE fairtrial_owner NOLOGIN;
CREATE ROLE fairtrial_migrator LOGIN NOINHERIT PASSWORD :'migrator_password';
GRANT fairtrial_owner TO fairtrial_migrator;
CREATE ROLE fairtrial_app LOGIN PASSWORD :'app_password';
