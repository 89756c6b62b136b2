-- SPDX-License-Identifier: Apache-2.0
-- What holds the ledger's tables append-only in this database, a line each, as any role may read it.
-- Rights are given by name, so that a role nobody expects stands out.
WITH ledger_table AS (
    SELECT * FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
), who AS (
    SELECT * FROM pg_roles WHERE rolname IN ('fairtrial_app', current_user)
)
SELECT 'table ' || relname || ' of ' || relowner::regrole::text || ': ' || coalesce((
    SELECT string_agg(each::text, ', ' ORDER BY each::text) FROM unnest(relacl) AS each
    WHERE NOT starts_with(each::text, relowner::regrole::text || '=')), 'nobody else') AS line
FROM ledger_table
UNION ALL
SELECT 'trigger ' || tgname || ' (' || tgenabled::text || '): ' || pg_get_triggerdef(pg_trigger.oid)
FROM pg_trigger WHERE NOT tgisinternal
UNION ALL
SELECT 'foreign key of ' || tgrelid::regclass::text || ' is off'
FROM pg_trigger WHERE tgisinternal AND tgenabled <> 'O'
UNION ALL
SELECT 'constraint ' || conname || ' of ' || relname || ': '
    || pg_get_constraintdef(pg_constraint.oid)
FROM pg_constraint JOIN ledger_table ON ledger_table.oid = conrelid
WHERE contype <> 'n' AND relname <> 'alembic_version'
UNION ALL
SELECT 'index ' || indexname || ': ' || indexdef
FROM pg_indexes WHERE schemaname = 'public' AND tablename <> 'alembic_version'
UNION ALL
SELECT 'rule ' || rulename || ' of ' || tablename FROM pg_rules WHERE schemaname = 'public'
UNION ALL
SELECT 'function ' || proname || ' of ' || proowner::regrole::text
    || CASE WHEN prosecdef THEN ', as its owner' ELSE '' END
    || ', ' || coalesce(array_to_string(proconfig, ' '), 'no setting')
    || ', ' || coalesce((
        SELECT string_agg(each::text, ', ' ORDER BY each::text) FROM unnest(proacl) AS each
    ), 'anybody')
    || ': ' || encode(sha256(convert_to(prosrc, 'UTF8')), 'hex')
FROM pg_proc WHERE pronamespace = 'public'::regnamespace
UNION ALL
SELECT 'role ' || rolname || ' is a superuser or may become one'
FROM who WHERE rolsuper OR rolcreaterole OR rolreplication OR rolbypassrls
UNION ALL
SELECT 'role ' || rolname || ' may become the owner'
FROM who WHERE pg_has_role(oid, 'fairtrial_owner', 'MEMBER')
UNION ALL
SELECT 'schema public: ' || rolname || ' may create in it'
FROM who WHERE has_schema_privilege(oid, 'public', 'CREATE')
UNION ALL
SELECT 'session ' || name || ': ' || setting
FROM pg_settings WHERE name = 'session_replication_role'
