CREATE TABLE "job_media" (
	"media_id" uuid NOT NULL,
	"n" integer NOT NULL,
	"bytes" "bytea" NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "job_media_media_id_n_pk" PRIMARY KEY("media_id","n"),
	CONSTRAINT "job_media_piece" CHECK (octet_length("job_media"."bytes") <= 1048576)
);
--> statement-breakpoint
CREATE TABLE "job" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"model_id" text NOT NULL,
	"state" text DEFAULT 'queued' NOT NULL,
	"input" jsonb,
	"input_id" uuid,
	"ref" jsonb,
	"hold_id" uuid,
	"price" bigint NOT NULL,
	"usage" jsonb NOT NULL,
	"lease" uuid,
	"lease_until" timestamp with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"not_before" timestamp with time zone DEFAULT now() NOT NULL,
	"deadline" timestamp with time zone NOT NULL,
	"media_id" uuid,
	"media_type" text,
	"media_bytes" bigint,
	"failure" jsonb,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone,
	CONSTRAINT "job_lease" CHECK (("job"."state" = 'running') = ("job"."lease" is not null)),
	CONSTRAINT "job_finished" CHECK (("job"."state" in ('queued', 'running')) = ("job"."finished_at" is null)),
	CONSTRAINT "job_media" CHECK ("job"."media_id" is null or "job"."state" = 'done')
);
--> statement-breakpoint
ALTER TABLE "job" ADD CONSTRAINT "job_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "job_live" ON "job" USING btree ("created_at") WHERE state in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "job_live_account" ON "job" USING btree ("account_id") WHERE state in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "job_done" ON "job" USING btree ("model_id","finished_at") WHERE state = 'done';--> statement-breakpoint
CREATE INDEX "job_kept" ON "job" USING btree ("finished_at") WHERE media_id is not null;--> statement-breakpoint
CREATE INDEX "job_ended" ON "job" USING btree ("finished_at") WHERE finished_at is not null;--> statement-breakpoint
-- What is kept is compressed already.
alter table job_media alter column bytes set storage external;
--> statement-breakpoint
-- A job's state and its money change in one transaction: the hold is placed with the row and ends with it, so that no
-- moment at which a process dies leaves one without the other. Locks: the account's queue or the job's row first, then
-- what the ledger's own functions lock, in their order.

-- {id, account, key, kind, model, input, inputId, price, usage, request, hold, lifeSeconds} → `queued`, `full`, `busy`, or
-- why the ledger refused. `hold` is the request's own hold of the whole price: it is given back and placed anew for as
-- long as the job may live, under the same lock of the balance, so that nobody can spend it in between.
create function queue_job(asked jsonb, max_own int, max_all int)
returns table (outcome text, balances jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  owner uuid := (asked ->> 'account')::uuid;
  held uuid;
  due timestamptz := now() + make_interval(secs => (asked ->> 'lifeSeconds')::int);
begin
  perform pg_advisory_xact_lock(hashtextextended('job ' || owner, 0));
  if (select count(*) from job j where j.account_id = owner and j.state in ('queued', 'running')) >= max_own then
    outcome := 'full';
    return next;
    return;
  end if;
  if (select count(*) from job j where j.state in ('queued', 'running')) >= max_all then
    outcome := 'busy';
    return next;
    return;
  end if;
  if (asked ->> 'price')::bigint > 0 then
    perform captures(jsonb_build_array(
      jsonb_build_object('ord', 0, 'id', asked ->> 'hold', 'charge', '0', 'reason', 'queued')));
    held := gen_random_uuid();
    select h.refusal, h.balances into outcome, balances from holds(jsonb_build_array(jsonb_build_object(
      'ord', 0, 'id', held, 'account', owner, 'key', asked ->> 'key', 'request', asked ->> 'request',
      'amount', asked ->> 'price'))) h;
    if outcome is not null then
      return next;
      return;
    end if;
    -- Longer than the job: a job that is late is ended as a job, and the ledger's sweep comes after that.
    update hold h set expires_at = due + interval '1 hour' where h.id = held;
  end if;
  insert into job (id, account_id, kind, model_id, input, input_id, hold_id, price, usage, deadline)
  values ((asked ->> 'id')::uuid, owner, asked ->> 'kind', asked ->> 'model', asked -> 'input',
    (asked ->> 'inputId')::uuid, held, (asked ->> 'price')::bigint, asked -> 'usage', due);
  outcome := 'queued';
  return next;
end $$;
--> statement-breakpoint
-- The next job for a worker: of who has the fewest under way the oldest, and those whose worker was heard of no more.
create function claim_job(kinds text[], max_running int, max_attempts int, lease_seconds int)
returns setof job language plpgsql as $$
declare
  found_id uuid;
begin
  with busy as (
    select r.account_id, count(*) as n from job r where r.state = 'running' and r.lease_until > now() group by 1
  )
  select j.id into found_id
  from job j left join busy b on b.account_id = j.account_id
  where j.state in ('queued', 'running') and j.kind = any(kinds) and j.deadline > now() and j.attempts < max_attempts
    and j.not_before <= now() and (j.state = 'queued' or j.lease_until < now())
    and coalesce(b.n, 0) < max_running
  order by coalesce(b.n, 0), j.created_at, j.id
  limit 1 for update of j skip locked;
  return query
  update job j set state = 'running', lease = gen_random_uuid(), attempts = j.attempts + 1,
    lease_until = now() + make_interval(secs => lease_seconds), started_at = coalesce(j.started_at, now())
  where j.id = found_id
  returning j.*;
end $$;
--> statement-breakpoint
-- [{id, lease}] → those that are still theirs, for so much longer.
create function renew_jobs(leases jsonb, lease_seconds int) returns table (id uuid) language plpgsql as $$
#variable_conflict use_column
begin
  return query
  update job j set lease_until = now() + make_interval(secs => lease_seconds)
  from (
    select l.id from job l join jsonb_to_recordset(leases) as r(id uuid, lease uuid) on r.id = l.id and r.lease = l.lease
    order by l.id for no key update of l
  ) mine
  where j.id = mine.id
  returning j.id;
end $$;
--> statement-breakpoint
-- Ends locked, live jobs that made nothing: nothing is charged.
create function drop_jobs(ids uuid[], as_state text, why jsonb) returns void language plpgsql as $$
declare
  released jsonb;
begin
  select jsonb_agg(jsonb_build_object('ord', h.n, 'id', h.hold_id, 'charge', '0', 'reason', 'job ' || as_state))
    into released
  from (select row_number() over () as n, j.hold_id from job j where j.id = any(ids) and j.hold_id is not null) h;
  if released is not null then
    perform captures(released);
  end if;
  update job j set state = as_state, failure = why, lease = null, lease_until = null, input = null, ref = null,
    finished_at = now()
  where j.id = any(ids);
end $$;
--> statement-breakpoint
-- Ends a job for who has its lease, and its hold with it: `media` {id, type, bytes} is charged, without it nothing is.
-- False when the lease is another's by now, or the job has ended: then nothing changes.
create function end_job(of_id uuid, of_lease uuid, media jsonb, why jsonb) returns boolean language plpgsql as $$
declare
  mine job;
begin
  select * into mine from job j where j.id = of_id and j.lease = of_lease for no key update;
  if not found then
    return false;
  end if;
  if media is null then
    perform drop_jobs(array[of_id], 'failed', why);
    return true;
  end if;
  if mine.hold_id is not null then
    perform captures(jsonb_build_array(jsonb_build_object('ord', 0, 'id', mine.hold_id, 'charge', mine.price::text,
      'usage', mine.usage
        || jsonb_build_object('duration', round(extract(epoch from now() - mine.started_at) * 1000)::int))));
  end if;
  update job j set state = 'done', lease = null, lease_until = null, input = null, ref = null, finished_at = now(),
    media_id = (media ->> 'id')::uuid, media_type = media ->> 'type', media_bytes = (media ->> 'bytes')::bigint
  where j.id = of_id;
  return true;
end $$;
--> statement-breakpoint
-- True when the job was live, and is cancelled now. Its worker learns it when it renews the lease.
create function cancel_job(of_id uuid) returns boolean language plpgsql as $$
begin
  perform 1 from job j where j.id = of_id and j.state in ('queued', 'running') for no key update;
  if not found then
    return false;
  end if;
  perform drop_jobs(array[of_id], 'cancelled', null);
  return true;
end $$;
--> statement-breakpoint
-- Ends up to `most` jobs that nobody will finish: too late, or begun too often by processes that died of it.
create function drop_late_jobs(max_attempts int, most int) returns int language plpgsql as $$
declare
  late uuid[];
begin
  select array_agg(l.id) into late from (
    select j.id from job j
    where j.state in ('queued', 'running') and (j.state = 'queued' or j.lease_until < now())
      and (j.deadline <= now() or j.attempts >= max_attempts)
    order by j.id limit most for no key update skip locked
  ) l;
  if late is null then
    return 0;
  end if;
  perform drop_jobs(late, 'failed', '{"reason": "timeout", "message": "The work did not come to an end in time."}');
  return cardinality(late);
end $$;
