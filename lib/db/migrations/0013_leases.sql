CREATE TABLE "checkpoint" (
	"id" uuid PRIMARY KEY NOT NULL,
	"lease_id" uuid NOT NULL,
	"request_id" text NOT NULL,
	"amount" bigint NOT NULL,
	"usage" jsonb
);
--> statement-breakpoint
CREATE TABLE "lease" (
	"id" uuid PRIMARY KEY NOT NULL,
	"process_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"key_id" uuid,
	"currency" text NOT NULL,
	"amount" bigint NOT NULL,
	"is_recalled" boolean DEFAULT false NOT NULL,
	CONSTRAINT "lease_owner" UNIQUE NULLS NOT DISTINCT("process_id","account_id","key_id","currency"),
	CONSTRAINT "lease_amount" CHECK ("lease"."amount" >= 0)
);
--> statement-breakpoint
CREATE TABLE "ledger_process" (
	"id" uuid PRIMARY KEY NOT NULL,
	"seen_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "checkpoint" ADD CONSTRAINT "checkpoint_lease_id_lease_id_fk" FOREIGN KEY ("lease_id") REFERENCES "public"."lease"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lease" ADD CONSTRAINT "lease_process_id_ledger_process_id_fk" FOREIGN KEY ("process_id") REFERENCES "public"."ledger_process"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lease" ADD CONSTRAINT "lease_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lease" ADD CONSTRAINT "lease_key_id_api_key_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_key"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "checkpoint_lease" ON "checkpoint" USING btree ("lease_id");--> statement-breakpoint
CREATE INDEX "checkpoint_request" ON "checkpoint" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "lease_account" ON "lease" USING btree ("account_id");--> statement-breakpoint
-- A process leases credit of an account, spends it in memory, and writes what was spent behind the answers. Locks are
-- taken in one order everywhere: processes, then leases or holds by id, then keys by id, then balances by account and
-- currency. See 0001_ledger.sql for how the statements are planned.

drop function holds(jsonb);
--> statement-breakpoint
drop function extends(jsonb);
--> statement-breakpoint
drop function checkpoints(jsonb);
--> statement-breakpoint
drop function captures(jsonb);
--> statement-breakpoint
drop function queue_job(jsonb, int, int);
--> statement-breakpoint
-- `age_ms` is how long ago it was, `held` what is set aside no more, `total` what was taken, `short` what was delivered beyond it. A row that takes
-- nothing only gives back.
create type ledger_charge as (
  ord int, id uuid, once text, account uuid, key uuid, currency text, request text, held bigint, total bigint,
  short bigint, usage jsonb, age_ms float8
);
--> statement-breakpoint
-- Writes charges whose keys and balances are locked: entries, usage, and what balances and keys count.
create function write_charges(charges ledger_charge[]) returns void language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  accounts uuid[];
  keys uuid[];
begin
  select array_agg(distinct c.account), array_agg(distinct c.key) filter (where c.key is not null) into accounts, keys
  from unnest(charges) c;

  with purse as materialized (select * from balance b where b.account_id = any(accounts)),
  budget as materialized (select * from key_budget f where f.id = any(keys)),
  charge as materialized (
    select c.*, c.currency = 'DIEM' as is_diem,
      (p.posted - sum(c.total) over (partition by c.account, c.currency order by c.ord))::bigint as posted_after
    from unnest(charges) c join purse p on p.account_id = c.account and p.currency = c.currency
  ),
  short as (
    select gen_random_uuid() as txn, c.ord, c.id, c.request, c.currency, c.short as amount from charge c where c.short > 0
  ),
  moved as (
    update balance b set posted = b.posted - s.total, held = b.held - s.held
    from (
      select c.account, c.currency, sum(c.total)::bigint as total, sum(c.held)::bigint as held from charge c group by 1, 2
    ) s
    where b.account_id = any(accounts) and b.account_id = s.account and b.currency = s.currency
  ),
  counted as (
    update api_key k set held_usd = k.held_usd - s.usd_held, held_diem = k.held_diem - s.diem_held,
      spent_usd = f.spent_usd + s.usd, spent_diem = f.spent_diem + s.diem, period_start = f.period_start,
      floor_usd = f.floor_usd, floor_diem = f.floor_diem
    from (
      select c.key, coalesce(sum(c.held) filter (where not c.is_diem), 0)::bigint as usd_held,
        coalesce(sum(c.held) filter (where c.is_diem), 0)::bigint as diem_held,
        coalesce(sum(c.total) filter (where not c.is_diem), 0)::bigint as usd,
        coalesce(sum(c.total) filter (where c.is_diem), 0)::bigint as diem
      from charge c where c.key is not null group by c.key
    ) s
    join budget f on f.id = s.key
    where k.id = any(keys) and k.id = s.key
  ),
  made as (
    insert into txn (id, kind, idempotency_key, request_id)
    select c.id, 'charge', c.once, c.request from charge c where c.total > 0
    union all
    select s.txn, 'write_off', 'write-off:' || s.id, s.request from short s
  ),
  written as (
    insert into entry (txn_id, leg, account_id, house, currency, amount, balance_after)
    select l.txn, l.leg, l.account, l.house, l.currency, l.amount, l.balance_after
    from (
      select c.ord, c.id as txn, 1 as leg, c.account, null as house, c.currency, -c.total as amount,
        c.posted_after as balance_after
      from charge c where c.total > 0
      union all
      select c.ord, c.id, 2, null, 'revenue', c.currency, c.total, null from charge c where c.total > 0
      union all
      select s.ord, s.txn, 1, null, 'write_off', s.currency, -s.amount, null from short s
      union all
      select s.ord, s.txn, 2, null, 'revenue', s.currency, s.amount, null from short s
    ) l
    order by l.ord, l.leg
  )
  insert into usage_record (txn_id, account_id, key_id, currency, request_id, model_id, model_type, lines,
    prompt_tokens, completion_tokens, duration_ms, is_estimated, at)
  select c.id, c.account, c.key, c.currency, c.request, u.model, u.type,
    case when c.short = 0 then coalesce(u.lines, '[]'::jsonb)
      else fit_lines(coalesce(u.lines, '[]'::jsonb), c.total) end,
    u.prompt, u.completion, u.duration, coalesce(u.estimated, false),
    now() - coalesce(c.age_ms, 0) * interval '1 millisecond'
  from charge c
  cross join lateral jsonb_to_record(coalesce(c.usage, '{}'::jsonb))
    as u(model text, type text, lines jsonb, prompt int, completion int, duration int, estimated boolean)
  where c.total > 0;
end $$;
--> statement-breakpoint
-- [{ord, id, charge, reason, usage}]: ends the open holds of jobs; a charge of nothing releases.
create function captures(requests jsonb) returns void language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  ids uuid[];
  accounts uuid[];
  keys uuid[];
  charges ledger_charge[];
begin
  select array_agg(distinct r.id) into ids from jsonb_to_recordset(requests) as r(id uuid);
  select array_agg(distinct h.account_id), array_agg(distinct h.key_id) filter (where h.key_id is not null)
    into accounts, keys
  from (select l.* from hold l where l.id = any(ids) order by l.id for no key update offset 0) h
  where h.state = 'open';
  if accounts is null then
    return;
  end if;
  perform lock_money(keys, accounts);

  with request as (
    select distinct on (r.id) r.ord, r.id, r.charge, r.reason, r.usage
    from jsonb_to_recordset(requests) as r(ord int, id uuid, charge bigint, reason text, usage jsonb)
    order by r.id, r.ord
  ),
  named as materialized (select * from hold h where h.id = any(ids) offset 0),
  final as (
    select q.*, h.account_id, h.key_id, h.currency, h.request_id, h.amount as held, least(q.charge, h.amount) as total
    from request q join named h on h.id = q.id and h.state = 'open'
  ),
  ended as (
    update hold h set state = case when f.total > 0 then 'captured' else 'released' end,
      captured = nullif(f.total, 0), end_reason = f.reason, ended_at = now()
    from final f where h.id = any(ids) and h.id = f.id
  )
  select array_agg(row(f.ord, f.id, 'hold:' || f.id, f.account_id, f.key_id, f.currency, f.request_id, f.held, f.total,
    f.charge - f.total, f.usage, 0)::ledger_charge) into charges
  from final f;
  perform write_charges(charges);
end $$;
--> statement-breakpoint
-- [{ord, account, key, currency, amount, minimum, floor, pending, free, extra}] → what each may spend, or why not. `free`
-- has what the process leases of each currency and does not use: it counts first, and only the rest is leased. `pending`
-- was spent and is not written yet, `extra` is leased for later requests where there is plenty. `again` says that a
-- request was refused only for its companions' sake: alone it would fit.
-- `usable` is what account and key had left of each currency before, `balances` what the account has left after, `others`
-- what other processes lease; `is_recalling` that some of them have not answered a recall yet.
create function leases(of_process uuid, requests jsonb)
returns table (ord int, lease uuid, currency text, amount text, leased text, refusal text, again boolean, usable jsonb,
  balances jsonb, others jsonb, is_recalling boolean, expires_ms float8, is_known boolean) language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  accounts uuid[];
  keys uuid[];
  was_known boolean;
begin
  update ledger_process p set seen_at = now() where p.id = of_process;
  was_known := found;
  if not was_known then
    insert into ledger_process (id) values (of_process) on conflict do nothing;
  end if;
  select array_agg(distinct r.account), array_agg(distinct r.key) filter (where r.key is not null) into accounts, keys
  from jsonb_to_recordset(requests) as r(account uuid, key uuid);
  perform 1 from lease l where l.account_id = any(accounts) and l.process_id = of_process
    order by l.id for no key update;
  perform lock_money(keys, accounts);

  return query
  with request as (
    select r.ord, r.account, r.key, r.currency, r.amount, coalesce(r.floor, 0) as floor,
      coalesce(r.pending, 0) as pending, coalesce(r.free, '{}'::jsonb) as free, coalesce(r.extra, 0) as extra,
      greatest(least(r.minimum, r.amount), 1) as minimum
    from jsonb_to_recordset(requests) as r(ord int, account uuid, key uuid, currency text, amount bigint,
      minimum bigint, floor bigint, pending bigint, free jsonb, extra bigint)
  ),
  purse as (
    select b.account_id as account, b.currency, b.currency = 'DIEM' as is_diem, b.posted, b.posted - b.held as available,
      array_position(array['DIEM', 'BUNDLED_CREDITS', 'USD'], b.currency) as rank
    from balance b where b.account_id = any(accounts)
  ),
  wealth as (
    select p.account, sum(p.posted)::bigint as posted from purse p group by p.account
  ),
  elsewhere as (
    select s.account, jsonb_object_agg(s.currency, s.amount::text) as others, bool_or(s.is_recalling) as is_recalling
    from (
      select l.account_id as account, l.currency, sum(l.amount)::bigint as amount,
        bool_or(l.is_recalled and p.seen_at > now() - interval '5 seconds') as is_recalling
      from lease l join ledger_process p on p.id = l.process_id
      where l.account_id = any(accounts) and l.process_id <> of_process
      group by 1, 2
    ) s
    group by s.account
  ),
  budget as materialized (select * from key_budget f where f.id = any(keys)),
  option as (
    select q.ord, q.amount, q.minimum, q.extra, p.currency, p.is_diem, p.rank, p.available,
      coalesce((q.free ->> p.currency)::bigint, 0) as free,
      case when p.is_diem then k.left_diem else k.left_usd end as left_of_key
    from request q
    join purse p on p.account = q.account and (q.currency is null or p.currency = q.currency)
    left join budget k on k.id = q.key
  ),
  reach as (select o.*, least(o.available, o.left_of_key) as usable from option o),
  usable as (select r.ord, jsonb_object_agg(r.currency, r.usable::text) as usable from reach r group by r.ord),
  -- The first currency, in spend order, that covers the whole; else the first that covers the minimum.
  choice as (
    select distinct on (r.ord) r.ord, r.currency, r.is_diem, r.available, r.left_of_key, r.usable,
      least(r.amount, r.usable + r.free) as granted,
      greatest(least(r.amount, r.usable + r.free) - r.free, 0) as needed, r.extra
    from reach r
    where r.usable + r.free >= r.minimum
    order by r.ord, r.usable + r.free >= r.amount desc, r.rank
  ),
  sized as (
    select c.*, c.needed + greatest(least(c.extra, (c.usable - c.needed) / 10), 0) as leased from choice c
  ),
  -- The first currency that would do, were it not for the key's limit.
  capped as (
    select distinct on (r.ord) r.ord, r.is_diem from reach r where r.available + r.free >= r.minimum
    order by r.ord, r.rank
  ),
  payer as materialized (select a.id, a.status from account a where a.id = any(accounts)),
  judged as (
    select q.ord, q.account, q.key, c.currency, c.is_diem, c.available,
      c.left_of_key, c.granted, c.leased, k.expires_at,
      case
        when a.id is null then 'account_disabled'
        when a.status <> 'active' then 'account_' || a.status
        when q.key is not null and (k.id is null or k.is_revoked) then 'key_revoked'
        when k.is_expired then 'key_expired'
        when coalesce(w.posted, 0) - q.pending < q.floor then 'insufficient'
        when c.ord is not null then null
        when x.is_diem then 'key_diem_limit'
        when not x.is_diem then 'key_usd_limit'
        else 'insufficient'
      end as refusal
    from request q
    left join payer a on a.id = q.account
    left join (select f.*, k.expires_at from budget f join api_key k on k.id = f.id and k.id = any(keys)) k
      on k.id = q.key and k.account_id = q.account
    left join wealth w on w.account = q.account
    left join sized c on c.ord = q.ord
    left join capped x on x.ord = q.ord
  ),
  ranked as (
    select j.*,
      sum(j.leased) over (partition by j.account, j.currency order by j.ord) as running,
      sum(j.leased) over (partition by j.key, j.is_diem order by j.ord) as running_of_key
    from judged j where j.refusal is null
  ),
  good as (
    select * from ranked r
    where r.leased = 0 or r.running <= r.available
      and (r.key is null or r.left_of_key is null or r.running_of_key <= r.left_of_key)
  ),
  set_aside as (
    update balance b set held = b.held + s.amount
    from (select g.account, g.currency, sum(g.leased)::bigint as amount from good g group by 1, 2) s
    where b.account_id = any(accounts) and b.account_id = s.account and b.currency = s.currency
  ),
  counted as (
    update api_key k set held_usd = k.held_usd + s.usd, held_diem = k.held_diem + s.diem, spent_usd = f.spent_usd,
      spent_diem = f.spent_diem, period_start = f.period_start, floor_usd = f.floor_usd, floor_diem = f.floor_diem
    from (
      select g.key, coalesce(sum(g.leased) filter (where not g.is_diem), 0)::bigint as usd,
        coalesce(sum(g.leased) filter (where g.is_diem), 0)::bigint as diem
      from good g where g.key is not null group by g.key
    ) s
    join budget f on f.id = s.key
    where k.id = any(keys) and k.id = s.key
  ),
  change as (
    select p.account, jsonb_object_agg(p.currency, (p.available - coalesce(s.amount, 0))::text) as balances
    from purse p
    left join (select g.account, g.currency, sum(g.leased)::bigint as amount from good g group by 1, 2) s
      on s.account = p.account and s.currency = p.currency
    group by p.account
  ),
  granted as (
    insert into lease as l (id, process_id, account_id, key_id, currency, amount)
    select gen_random_uuid(), of_process, g.account, g.key, g.currency, sum(g.leased)::bigint
    from good g group by g.account, g.key, g.currency
    on conflict on constraint lease_owner do update set amount = l.amount + excluded.amount
    returning l.id, l.account_id, l.key_id, l.currency
  )
  select j.ord, d.id, j.currency, j.granted::text, j.leased::text, j.refusal, j.refusal is null and g.ord is null,
    coalesce(u.usable, '{}'::jsonb), coalesce(w.balances, '{}'::jsonb), coalesce(e.others, '{}'::jsonb), coalesce(e.is_recalling, false),
    extract(epoch from j.expires_at)::float8 * 1000, was_known
  from judged j
  left join good g on g.ord = j.ord
  left join granted d on d.account_id = g.account and d.key_id is not distinct from g.key and d.currency = g.currency
  left join usable u on u.ord = j.ord
  left join change w on w.account = j.account
  left join elsewhere e on e.account = j.account;
end $$;
--> statement-breakpoint
-- Writes what a process has done since it last wrote, again without harm. `charges` [{ord, id, lease, account, key,
-- currency, charge, short, request, usage, age}], `age` in milliseconds: what is beyond the lease, because it was ended meanwhile, is taken of what
-- balance and key have left, and the house writes off the rest. `returned` [{lease, amount}] gives back unused parts,
-- `ended` whole leases. `marks` [{id, lease, request, amount, usage}] say what open requests have delivered, `unmarked`
-- those that charged nothing. With `is_beat` the process says that it lives.
-- → whether it was thought to live, and the leases of which the unused part is wanted back.
create function settle(of_process uuid, charges jsonb, returned jsonb, ended uuid[], marks jsonb, unmarked uuid[],
  is_beat boolean)
returns table (is_known boolean, recalled uuid[]) language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  ids uuid[];
  accounts uuid[];
  keys uuid[];
  written ledger_charge[];
  given ledger_charge[];
begin
  is_known := true;
  if is_beat then
    update ledger_process p set seen_at = now() where p.id = of_process;
    is_known := found;
  end if;

  select array_agg(distinct n.lease) into ids
  from (
    select r.lease from jsonb_to_recordset(charges) as r(lease uuid)
    union all select r.lease from jsonb_to_recordset(returned) as r(lease uuid)
    union all select unnest(ended)
  ) n;
  if ids is not null then
    perform 1 from lease l where l.id = any(ids) order by l.id for update;
    select array_agg(distinct n.account), array_agg(distinct n.key) filter (where n.key is not null)
      into accounts, keys
    from (
      select r.account, r.key from jsonb_to_recordset(charges) as r(account uuid, key uuid)
      union all select l.account_id, l.key_id from lease l where l.id = any(ids)
    ) n;
    perform lock_money(keys, accounts);

    with request as (
      select distinct on (r.id) r.*
      from jsonb_to_recordset(charges) as r(ord int, id uuid, lease uuid, account uuid, key uuid, currency text,
        charge bigint, short bigint, request text, usage jsonb, age float8)
      where not exists (
        select from txn t where t.id = r.id or t.idempotency_key = 'write-off:' || r.id
      )
      order by r.id, r.ord
    ),
    live as materialized (select * from lease l where l.id = any(ids)),
    purse as materialized (select * from balance b where b.account_id = any(accounts)),
    budget as materialized (select * from key_budget f where f.id = any(keys)),
    claim as (
      select q.*, q.currency = 'DIEM' as is_diem, greatest(0, least(q.charge, coalesce(l.amount, 0)
        - (sum(q.charge) over (partition by q.lease order by q.ord) - q.charge)))::bigint as base
      from request q left join live l on l.id = q.lease
    ),
    ranked as (
      select c.*, p.posted - p.held as available,
        case when c.is_diem then k.left_diem else k.left_usd end as left_of_key,
        sum(c.charge - c.base) over (partition by c.account, c.currency order by c.ord) - (c.charge - c.base) as earlier,
        case when c.key is not null then
          sum(c.charge - c.base) over (partition by c.key, c.is_diem order by c.ord) - (c.charge - c.base)
        end as earlier_of_key
      from claim c
      join purse p on p.account_id = c.account and p.currency = c.currency
      left join budget k on k.id = c.key
    ),
    taken as (
      select r.*, r.base + greatest(0, least(r.charge - r.base, r.available - r.earlier,
        r.left_of_key - r.earlier_of_key))::bigint as total
      from ranked r
    ),
    spent as (
      update lease l set amount = l.amount - s.base
      from (select c.lease, sum(c.base)::bigint as base from claim c group by c.lease) s
      where l.id = any(ids) and l.id = s.lease
    )
    select array_agg(row(t.ord, t.id, 'charge:' || t.id, t.account, t.key, t.currency, t.request, t.base, t.total,
      t.short + t.charge - t.total, t.usage, t.age)::ledger_charge) into written
    from taken t;

    with back as materialized (
      select l.id, l.account_id, l.key_id, l.currency, l.id = any(ended) as is_ended,
        case when l.id = any(ended) then l.amount else least(l.amount, r.amount) end as amount
      from lease l
      left join (
        select n.lease, sum(n.amount)::bigint as amount
        from jsonb_to_recordset(returned) as n(lease uuid, amount bigint) group by n.lease
      ) r on r.lease = l.id
      where l.id = any(ids) and (l.id = any(ended) or r.lease is not null)
    ),
    gone as (delete from lease l using back b where l.id = any(ended) and l.id = b.id),
    shrunk as (
      update lease l set amount = l.amount - b.amount, is_recalled = false
      from back b where l.id = any(ids) and l.id = b.id and b.is_ended is not true
    )
    select array_agg(row(0, b.id, null, b.account_id, b.key_id, b.currency, null, b.amount, 0, 0, null, 0)::ledger_charge)
      into given
    from back b where b.amount > 0;
    perform write_charges(written || given);
  end if;

  insert into checkpoint as c (id, lease_id, request_id, amount, usage)
  select r.id, r.lease, r.request, r.amount, r.usage
  from jsonb_to_recordset(marks) as r(id uuid, lease uuid, request text, amount bigint, usage jsonb)
  where exists (select from lease l where l.id = r.lease)
  on conflict (id) do update set amount = excluded.amount, usage = excluded.usage;
  delete from checkpoint c where c.id = any(unmarked)
    or c.id = any(array(select r.id from jsonb_to_recordset(charges) as r(id uuid)));

  if is_beat then
    select array_agg(l.id) into recalled
    from lease l join account a on a.id = l.account_id left join api_key k on k.id = l.key_id
    where l.process_id = of_process
      and (l.is_recalled or a.status <> 'active' or k.revoked_at is not null or k.expires_at <= now());
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Ends up to `most` leases of one process that is dead, or is none of `living`: charges what its requests had delivered by
-- their last marks, and gives back the rest. → how many; null when there is no such process.
create function sweep_leases(most int, living uuid[]) returns int language plpgsql
set enable_seqscan = off as $$
declare
  dead uuid;
  ids uuid[];
  charges jsonb;
begin
  select p.id into dead from ledger_process p
  where case when living is null then p.seen_at < now() - interval '30 seconds' else p.id <> all(living) end
  order by p.id limit 1 for update skip locked;
  if dead is null then
    return null;
  end if;
  ids := array(select l.id from lease l where l.process_id = dead limit most);
  select jsonb_agg(jsonb_build_object('ord', c.n, 'id', c.id, 'lease', c.lease_id, 'account', l.account_id,
      'key', l.key_id, 'currency', l.currency, 'charge', c.amount::text, 'short', (c.delivered - c.amount)::text,
      'request', c.request_id, 'usage', c.usage))
    into charges
  from (
    select row_number() over () as n, m.*, (
      select sum((line ->> 'amount')::bigint)::bigint from jsonb_array_elements(m.usage -> 'lines') line
    ) as delivered
    from checkpoint m where m.lease_id = any(ids) and m.amount > 0
  ) c
  join lease l on l.id = c.lease_id;
  perform settle(dead, charges, null, ids, null, null, false);
  if cardinality(ids) < most then
    delete from ledger_process p where p.id = dead;
  end if;
  return cardinality(ids);
end $$;
--> statement-breakpoint
-- Asks the other processes that lease credit of an account for what they do not use; false when there are none.
create function recall_leases(of_process uuid, of_account uuid) returns boolean language plpgsql
set enable_seqscan = off as $$
begin
  update lease l set is_recalled = true
  from (
    select r.id from lease r where r.account_id = of_account and r.process_id <> of_process and r.amount > 0
    order by r.id for no key update
  ) mine
  where l.id = mine.id;
  if found then
    perform pg_notify('ledger', 'recall ' || of_account || ' ' || of_process);
    return true;
  end if;
  return false;
end $$;
--> statement-breakpoint
-- What a process believes of an account is true until it hears of a change.
create function tell_of_account() returns trigger language plpgsql as $$
begin
  perform pg_notify('ledger', 'changed ' || coalesce(to_jsonb(new) ->> 'account_id', to_jsonb(new) ->> 'id'));
  return null;
end $$;
--> statement-breakpoint
create trigger account_told after update of status on account for each row execute function tell_of_account();
--> statement-breakpoint
create trigger api_key_told after update of limit_usd, limit_diem, limit_period, expires_at, revoked_at on api_key
  for each row execute function tell_of_account();
--> statement-breakpoint
create trigger entry_told after insert on entry
  for each row when (new.account_id is not null and new.amount > 0) execute function tell_of_account();
--> statement-breakpoint
-- {id, account, key, kind, model, input, inputId, price, usage, request, lease, lifeSeconds} → `queued`, `full`, `busy`,
-- or `gone` when the lease was ended. The price moves from the request's lease to a hold that lives as long as the job
-- may: it is held all the time.
create function queue_job(asked jsonb, max_own int, max_all int) returns text language plpgsql as $$
declare
  owner uuid := (asked ->> 'account')::uuid;
  cost bigint := (asked ->> 'price')::bigint;
  held uuid;
  due timestamptz := now() + make_interval(secs => (asked ->> 'lifeSeconds')::int);
begin
  perform pg_advisory_xact_lock(hashtextextended('job ' || owner, 0));
  if (select count(*) from job j where j.account_id = owner and j.state in ('queued', 'running')) >= max_own then
    return 'full';
  end if;
  if (select count(*) from job j where j.state in ('queued', 'running')) >= max_all then
    return 'busy';
  end if;
  if cost > 0 then
    held := gen_random_uuid();
    -- The hold lives longer than the job: one that is late is ended as a job, and the sweep of holds comes after that.
    with part as (
      update lease l set amount = l.amount - cost where l.id = (asked ->> 'lease')::uuid and l.amount >= cost
      returning l.account_id, l.key_id, l.currency
    )
    insert into hold (id, account_id, key_id, currency, request_id, amount, expires_at)
    select held, p.account_id, p.key_id, p.currency, asked ->> 'request', cost, due + interval '1 hour' from part p;
    if not found then
      return 'gone';
    end if;
  end if;
  insert into job (id, account_id, kind, model_id, input, input_id, hold_id, price, usage, deadline)
  values ((asked ->> 'id')::uuid, owner, asked ->> 'kind', asked ->> 'model', asked -> 'input',
    (asked ->> 'inputId')::uuid, held, cost, asked -> 'usage', due);
  return 'queued';
end $$;
