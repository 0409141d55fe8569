CREATE TABLE "rpc_credits" (
	"account_id" uuid NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"credits" bigint NOT NULL,
	CONSTRAINT "rpc_credits_account_id_hour_pk" PRIMARY KEY("account_id","hour")
);
--> statement-breakpoint
CREATE TABLE "rpc_reply" (
	"account_id" uuid NOT NULL,
	"key" text NOT NULL,
	"fingerprint" "bytea" NOT NULL,
	"claim" uuid NOT NULL,
	"lease_until" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"request_id" text NOT NULL,
	"status" smallint,
	"body" "bytea",
	"is_packed" boolean DEFAULT false NOT NULL,
	"credits" integer,
	"cost" bigint,
	CONSTRAINT "rpc_reply_account_id_key_pk" PRIMARY KEY("account_id","key"),
	CONSTRAINT "rpc_reply_kept" CHECK (("rpc_reply"."status" is null) = ("rpc_reply"."body" is null) and ("rpc_reply"."status" is null) = ("rpc_reply"."credits" is null) and ("rpc_reply"."status" is null) = ("rpc_reply"."cost" is null))
);
--> statement-breakpoint
CREATE TABLE "rpc_reply_total" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"keys" integer NOT NULL,
	"bytes" bigint NOT NULL,
	CONSTRAINT "rpc_reply_total_range" CHECK ("rpc_reply_total"."keys" >= 0 and "rpc_reply_total"."bytes" >= 0)
);
--> statement-breakpoint
CREATE INDEX "rpc_credits_hour" ON "rpc_credits" USING btree ("hour");--> statement-breakpoint
CREATE INDEX "rpc_reply_expiry" ON "rpc_reply" USING btree ("expires_at");--> statement-breakpoint
-- Bodies come compressed where that helps.
alter table rpc_reply alter column body set storage external;
--> statement-breakpoint
-- Locks: replies, then totals; of several totals in the order of their accounts.
create function count_rpc_reply(of_account uuid, most_keys int, most_bytes bigint) returns boolean language plpgsql as $$
begin
  insert into rpc_reply_total as t (account_id, keys, bytes) values (of_account, 1, 0)
    on conflict (account_id) do update set keys = t.keys + 1 where t.keys < most_keys and t.bytes < most_bytes;
  return found;
end $$;
--> statement-breakpoint
-- Removes what a claim holds: before it is kept, or when its day is over.
create function drop_rpc_reply(of_account uuid, of_key text, of_claim uuid) returns boolean language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  freed int;
begin
  delete from rpc_reply x
    where x.account_id = of_account and x.key = of_key and x.claim = of_claim
      and (x.status is null or x.expires_at <= clock_timestamp())
    returning coalesce(octet_length(x.body), 0) into freed;
  if not found then
    return false;
  end if;
  update rpc_reply_total t set keys = t.keys - 1, bytes = t.bytes - freed where t.account_id = of_account;
  return true;
end $$;
--> statement-breakpoint
-- Removes up to `most` replies whose day is over, of all accounts or of one.
create function sweep_rpc_replies(most int, of_account uuid default null) returns int language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  swept record;
  total int := 0;
begin
  for swept in
    with old as (
      select x.account_id, x.key from rpc_reply x
      where x.expires_at <= now() and (of_account is null or x.account_id = of_account)
      order by x.expires_at limit most for update skip locked
    ),
    gone as (
      delete from rpc_reply x using old o where x.account_id = o.account_id and x.key = o.key
      returning x.account_id, octet_length(x.body) as size
    )
    select g.account_id, count(*)::int as keys, coalesce(sum(g.size), 0)::bigint as bytes
    from gone g group by g.account_id order by g.account_id
  loop
    update rpc_reply_total t set keys = t.keys - swept.keys, bytes = t.bytes - swept.bytes
      where t.account_id = swept.account_id;
    delete from rpc_reply_total t where t.account_id = swept.account_id and t.keys = 0;
    total := total + swept.keys;
  end loop;
  return total;
end $$;
--> statement-breakpoint
-- What becomes of a call with this key: `claimed` (it is the caller's to run, until the lease ends), `kept` (with the reply),
-- `running`, `reused` (for another request), or `full` (with the seconds until the account's oldest reply goes). A lease
-- that ended is taken over by one of those who ask with the same fingerprint.
create function claim_rpc_reply(
  of_account uuid, of_key text, print bytea, of_request text, by_claim uuid,
  lease_seconds int, keep_seconds int, most_keys int, most_bytes bigint
)
returns table (
  outcome text, seconds int, request_id text, status smallint, body bytea, is_packed boolean, credits int, cost text
) language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  lease constant interval := make_interval(secs => lease_seconds);
  keep constant interval := make_interval(secs => keep_seconds);
  found_print bytea;
  found_claim uuid;
  is_kept boolean;
  is_leased boolean;
  is_over boolean;
begin
  -- Each look may be overtaken by another's keep, drop or take-over; nobody is overtaken for ever.
  for attempt in 1..16 loop
    select x.fingerprint, x.claim, x.status is not null, x.lease_until > clock_timestamp(),
        x.expires_at <= clock_timestamp()
      into found_print, found_claim, is_kept, is_leased, is_over
    from rpc_reply x where x.account_id = of_account and x.key = of_key;

    if not found then
      insert into rpc_reply (account_id, key, fingerprint, claim, request_id, lease_until, expires_at)
        values (of_account, of_key, print, by_claim, of_request, clock_timestamp() + lease, clock_timestamp() + keep)
        on conflict (account_id, key) do nothing;
      continue when not found;
      outcome := 'claimed';
      if not count_rpc_reply(of_account, most_keys, most_bytes) then
        perform sweep_rpc_replies(500, of_account);
        if not count_rpc_reply(of_account, most_keys, most_bytes) then
          delete from rpc_reply x where x.account_id = of_account and x.key = of_key;
          outcome := 'full';
          select greatest(1, ceil(extract(epoch from min(x.expires_at) - clock_timestamp())))::int into seconds
            from rpc_reply x where x.account_id = of_account;
        end if;
      end if;
      return next;
      return;
    elsif is_over then
      perform drop_rpc_reply(of_account, of_key, found_claim);
    elsif found_print <> print then
      outcome := 'reused';
      return next;
      return;
    elsif is_kept then
      return query
        select 'kept', null::int, x.request_id, x.status, x.body, x.is_packed, x.credits, x.cost::text
        from rpc_reply x where x.account_id = of_account and x.key = of_key and x.claim = found_claim;
      if found then
        return;
      end if;
    elsif is_leased then
      exit;
    else
      update rpc_reply x set claim = by_claim, request_id = of_request, lease_until = clock_timestamp() + lease,
          expires_at = clock_timestamp() + keep
        where x.account_id = of_account and x.key = of_key and x.claim = found_claim and x.status is null;
      if found then
        outcome := 'claimed';
        return next;
        return;
      end if;
    end if;
  end loop;
  outcome := 'running';
  return next;
end $$;
--> statement-breakpoint
-- Keeps the reply of a claim. False when the claim was taken over, or its day is over: then another's reply counts.
create function keep_rpc_reply(
  of_account uuid, of_key text, of_claim uuid, by_request text, of_status int, of_body bytea, packed boolean,
  of_credits int, of_cost bigint
)
returns boolean language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  update rpc_reply x set status = of_status, body = of_body, is_packed = packed, credits = of_credits, cost = of_cost,
      request_id = by_request
    where x.account_id = of_account and x.key = of_key and x.claim = of_claim and x.status is null;
  if found then
    update rpc_reply_total t set bytes = t.bytes + octet_length(of_body) where t.account_id = of_account;
    return true;
  end if;
  -- The same once more, because the first answer was lost on its way.
  return exists (
    select 1 from rpc_reply x
    where x.account_id = of_account and x.key = of_key and x.claim = of_claim and x.status is not null
  );
end $$;
