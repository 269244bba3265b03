-- The schema of tollgate-server. Records are kept twice: as the machine signed and sent them (segments), which is the
-- evidence, and as narrow rows to search in (events). Both are partitioned by the day of arrival, because the clock of
-- a machine is not to be trusted, and old days are dropped whole.

CREATE TABLE fleet (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    name text NOT NULL
);

-- Minisign keys that may sign bundles. Their secret halves never come here.
CREATE TABLE policy_keys (
    key text PRIMARY KEY,
    added_at timestamptz NOT NULL DEFAULT now(),
    added_by text NOT NULL
);

CREATE TABLE tokens (
    hash bytea PRIMARY KEY,
    grp text NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    used_by text
);

CREATE TABLE machines (
    id text PRIMARY KEY,
    key bytea NOT NULL,
    grp text NOT NULL,
    joined_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz,
    host text NOT NULL DEFAULT '',
    usr text NOT NULL DEFAULT '',
    os text NOT NULL DEFAULT '',
    arch text NOT NULL DEFAULT '',
    gate text NOT NULL DEFAULT '',
    instance text NOT NULL DEFAULT '',
    agents jsonb NOT NULL DEFAULT '[]',
    policy jsonb NOT NULL DEFAULT '{}',
    faults jsonb NOT NULL DEFAULT '[]',
    asked bigint[] NOT NULL DEFAULT '{}',
    chain bigint
);
CREATE INDEX machines_by_group ON machines (grp);

-- A machine has one chain unless its log was rewritten, begun anew, or runs on two machines.
CREATE TABLE chains (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    machine text NOT NULL REFERENCES machines (id),
    seq bigint NOT NULL,
    hash text NOT NULL,
    begun_at timestamptz NOT NULL DEFAULT now(),
    -- What stands before its first record, and in which chain that is.
    begin_seq bigint NOT NULL,
    begin_hash text NOT NULL,
    parent bigint REFERENCES chains (id)
);
CREATE INDEX chains_by_machine ON chains (machine, id);
ALTER TABLE machines ADD FOREIGN KEY (chain) REFERENCES chains (id);

-- Forgotten in a crash of PostgreSQL: repeating a request is harmless, and those of before run out in ten minutes.
CREATE UNLOGGED TABLE nonces (
    machine text NOT NULL,
    nonce text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (machine, nonce)
);
CREATE INDEX nonces_by_time ON nonces (at);

CREATE TABLE segments (
    day date NOT NULL,
    chain bigint NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    last_hash text NOT NULL,
    received timestamptz NOT NULL DEFAULT now(),
    authorization_header text NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (chain, last, day)
) PARTITION BY RANGE (day);
-- The bodies are compressed already.
ALTER TABLE segments ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TABLE events (
    day date NOT NULL,
    chain bigint NOT NULL,
    seq bigint NOT NULL,
    at timestamptz NOT NULL,
    agent text NOT NULL,
    session text NOT NULL,
    phase text NOT NULL,
    tool text NOT NULL,
    verdict text NOT NULL,
    rules text[] NOT NULL,
    PRIMARY KEY (chain, seq, day)
) PARTITION BY RANGE (day);

CREATE TABLE hourly (
    hour timestamptz NOT NULL,
    machine text NOT NULL,
    agent text NOT NULL,
    verdict text NOT NULL,
    calls bigint NOT NULL,
    PRIMARY KEY (hour, machine, agent, verdict)
);

CREATE TABLE incidents (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    machine text NOT NULL REFERENCES machines (id),
    kind text NOT NULL,
    detail text NOT NULL,
    count bigint NOT NULL DEFAULT 1,
    first_at timestamptz NOT NULL DEFAULT now(),
    last_at timestamptz NOT NULL DEFAULT now(),
    closed_at timestamptz,
    closed_by text
);
CREATE UNIQUE INDEX incidents_open ON incidents (machine, kind) WHERE closed_at IS NULL;

CREATE TABLE waiting (
    machine text NOT NULL REFERENCES machines (id),
    digest text NOT NULL,
    code text NOT NULL,
    at timestamptz NOT NULL,
    received timestamptz NOT NULL DEFAULT now(),
    agent text NOT NULL,
    folder text NOT NULL,
    call text NOT NULL,
    findings text[] NOT NULL,
    decided text,
    decided_by text,
    PRIMARY KEY (machine, digest)
);
CREATE INDEX waiting_by_time ON waiting (received);

CREATE TABLE grants (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    machine text NOT NULL REFERENCES machines (id),
    digest text NOT NULL,
    given bigint NOT NULL,
    expires bigint NOT NULL,
    by_whom text NOT NULL,
    delivered_at timestamptz
);
CREATE INDEX grants_by_machine ON grants (machine, id);

CREATE TABLE bundles (
    digest text PRIMARY KEY,
    version bigint NOT NULL UNIQUE,
    groups text[] NOT NULL,
    expires bigint NOT NULL,
    text text NOT NULL,
    signature text NOT NULL,
    uploaded_at timestamptz NOT NULL DEFAULT now(),
    uploaded_by text NOT NULL
);

CREATE TABLE rollouts (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    grp text NOT NULL,
    bundle text NOT NULL REFERENCES bundles (digest),
    percent integer NOT NULL DEFAULT 0 CHECK (percent BETWEEN 0 AND 100),
    held text,
    withdrawn boolean NOT NULL DEFAULT false,
    begun_at timestamptz NOT NULL DEFAULT now(),
    stage_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX rollouts_by_group ON rollouts (grp, id);

CREATE TABLE users (
    name text PRIMARY KEY,
    password text NOT NULL,
    role text NOT NULL CHECK (role IN ('viewer', 'approver', 'author', 'admin')),
    failures integer NOT NULL DEFAULT 0,
    locked_until timestamptz,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE sessions (
    hash bytea PRIMARY KEY,
    usr text NOT NULL REFERENCES users (name) ON DELETE CASCADE,
    csrf text NOT NULL,
    expires_at timestamptz NOT NULL
);

CREATE TABLE api_tokens (
    hash bytea PRIMARY KEY,
    name text NOT NULL UNIQUE,
    role text NOT NULL CHECK (role IN ('viewer', 'approver', 'author', 'admin')),
    expires_at timestamptz NOT NULL
);

-- Everything that a person or a token changed. Chained, so that a row which was changed or removed shows.
CREATE TABLE audit (
    seq bigint PRIMARY KEY,
    at bigint NOT NULL,
    who text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    detail text NOT NULL,
    prev text NOT NULL,
    hash text NOT NULL
);
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the audit trail is append-only'; END $$;
CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
