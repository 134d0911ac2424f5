-- A clock that tests move: see Clock.
CREATE SCHEMA virtual_time;
CREATE TABLE virtual_time.clock (instant timestamptz NOT NULL);
INSERT INTO virtual_time.clock VALUES (pg_catalog.now());

-- VOLATILE: the instant of this moment.
CREATE FUNCTION virtual_time.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN (SELECT c.instant FROM virtual_time.clock c);
END $$;

-- STABLE, and one value per transaction, however the clock moves meanwhile: the
-- first answer is kept in a setting that ends with the transaction.
CREATE FUNCTION virtual_time.transaction_timestamp() RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
DECLARE
    begun text := pg_catalog.current_setting('virtual_time.begun', true);
BEGIN
    IF begun IS NULL OR begun = '' THEN
        begun := (SELECT c.instant::text FROM virtual_time.clock c);
        PERFORM pg_catalog.set_config('virtual_time.begun', begun, true);
    END IF;
    RETURN begun::timestamptz;
END $$;

CREATE FUNCTION virtual_time.now() RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN virtual_time.transaction_timestamp();
END $$;

CREATE FUNCTION virtual_time.statement_timestamp() RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT c.instant FROM virtual_time.clock c);
END $$;

-- Defaults were bound to a function when the schema was made, before there was
-- this one.
DO $$
DECLARE
    bound record;
BEGIN
    FOR bound IN
        SELECT d.adrelid::regclass AS relation, a.attname, pg_catalog.pg_get_expr(d.adbin, d.adrelid) AS expression
        FROM pg_catalog.pg_attrdef d
        JOIN pg_catalog.pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
        JOIN pg_catalog.pg_class c ON c.oid = d.adrelid
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'malote' AND pg_catalog.pg_get_expr(d.adbin, d.adrelid) LIKE '%now()%'
    LOOP
        EXECUTE pg_catalog.format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT %s', bound.relation, bound.attname,
            pg_catalog.replace(bound.expression, 'now()', 'virtual_time.now()'));
    END LOOP;
END $$;

-- The days around the real today are only files to copy.
DO $$
DECLARE
    day record;
BEGIN
    FOR day IN
        SELECT i.inhrelid::regclass AS partition FROM pg_catalog.pg_inherits i
        JOIN pg_catalog.pg_class c ON c.oid = i.inhparent AND c.relkind = 'p'
        WHERE c.relnamespace = 'malote'::regnamespace
    LOOP
        EXECUTE pg_catalog.format('DROP TABLE %s', day.partition);
    END LOOP;
END $$;
