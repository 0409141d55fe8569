-- The ledger's statements. Each takes the requests of one moment as a JSON array and is one round trip; the only writers
-- of money. PL/pgSQL, so that what follows a lock sees what the lock waited for (READ COMMITTED), and plans are kept.
-- Locks are taken in one order everywhere, so that batches of several processes cannot deadlock: holds by id, then keys
-- by id, then balances by account and currency.
-- A plan made while the tables were empty is kept while they grow. So sequential scans are off, and every table is asked
-- by an array of keys, also where a join would do: then no join method can read a whole table or index. `offset 0` keeps
-- the planner from answering a key look-up from the index of open holds.

create function period_began(period text, at timestamptz) returns timestamptz language sql immutable as $$
  select case period
    when 'EPOCH' then date_trunc('day', at at time zone 'UTC') at time zone 'UTC'
    when 'MONTH' then date_trunc('month', at at time zone 'UTC') at time zone 'UTC'
    else '-infinity'::timestamptz
  end
$$;
--> statement-breakpoint
-- What a key may still spend. A limit of nothing is null: `least` passes over it. In a new period what was spent is
-- forgotten, what open holds set aside is not.
create view key_budget as
select id, account_id, stale, spent_usd, spent_diem,
  limit_usd - spent_usd - held_usd as left_usd,
  limit_diem - spent_diem - held_diem as left_diem,
  case when stale then now() else period_start end as period_start,
  case when stale then held_usd else floor_usd end as floor_usd,
  case when stale then held_diem else floor_diem end as floor_diem,
  revoked_at is not null as is_revoked,
  coalesce(expires_at <= now(), false) as is_expired
from (
  select k.id, k.account_id, k.limit_usd, k.limit_diem, k.held_usd, k.held_diem, k.floor_usd, k.floor_diem,
    k.period_start, k.revoked_at, k.expires_at, p.stale,
    case when p.stale then 0 else k.spent_usd end as spent_usd,
    case when p.stale then 0 else k.spent_diem end as spent_diem
  from api_key k
  cross join lateral (select k.period_start < period_began(k.limit_period, now()) as stale) p
) fresh;
--> statement-breakpoint
create function lock_money(keys uuid[], accounts uuid[]) returns void language plpgsql
set enable_seqscan = off as $$
begin
  if keys is not null then
    perform 1 from api_key k where k.id = any(keys) order by k.id for no key update;
  end if;
  perform 1 from balance b where b.account_id = any(accounts) order by b.account_id, b.currency for no key update;
end $$;
--> statement-breakpoint
-- [{ord, id, account, key, request, amount, minimum, floor}] → who got what, or why not. `again` says that it was refused
-- only for its companions' sake: alone it would fit. `balances` is what could be spent before.
create function holds(requests jsonb)
returns table (ord int, currency text, amount text, refusal text, again boolean, balances jsonb) language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  accounts uuid[];
  keys uuid[];
begin
  select array_agg(distinct r.account), array_agg(distinct r.key) filter (where r.key is not null) into accounts, keys
  from jsonb_to_recordset(requests) as r(account uuid, key uuid);
  perform lock_money(keys, accounts);

  return query
  with request as (
    select r.ord, r.id, r.account, r.key, r.request, r.amount, coalesce(r.floor, 0) as floor,
      greatest(least(r.minimum, r.amount), 1) as minimum
    from jsonb_to_recordset(requests)
      as r(ord int, id uuid, account uuid, key uuid, request text, amount bigint, minimum bigint, floor bigint)
  ),
  purse as (
    select b.account_id as account, b.currency, b.currency = 'DIEM' as is_diem, b.posted - b.held as available,
      array_position(array['DIEM', 'BUNDLED_CREDITS', 'USD'], b.currency) as rank
    from balance b where b.account_id = any(accounts)
  ),
  wealth as (
    select p.account, sum(p.available)::bigint as total, jsonb_object_agg(p.currency, p.available::text) as balances
    from purse p group by p.account
  ),
  budget as materialized (select * from key_budget f where f.id = any(keys)),
  option as (
    select q.ord, q.amount, q.minimum, p.currency, p.is_diem, p.rank, p.available,
      case when p.is_diem then k.left_diem else k.left_usd end as left_of_key
    from request q
    join purse p on p.account = q.account
    left join budget k on k.id = q.key
  ),
  -- The first currency, in spend order, that covers the whole; else the first that covers the minimum.
  choice as (
    select distinct on (o.ord) o.ord, o.currency, o.is_diem, o.available, o.left_of_key,
      least(o.amount, o.available, o.left_of_key) as granted
    from option o
    where least(o.available, o.left_of_key) >= o.minimum
    order by o.ord, least(o.available, o.left_of_key) >= o.amount desc, o.rank
  ),
  -- The first currency that would do, were it not for the key's limit.
  capped as (
    select distinct on (o.ord) o.ord, o.is_diem from option o where o.available >= o.minimum order by o.ord, o.rank
  ),
  payer as materialized (select a.id, a.status from account a where a.id = any(accounts)),
  judged as (
    select q.ord, q.id, q.account, q.key, q.request, q.floor, coalesce(w.total, 0) as total,
      coalesce(w.balances, '{}'::jsonb) as balances, c.currency, c.is_diem, c.available, c.left_of_key, c.granted,
      case
        when a.id is null then 'account_disabled'
        when a.status <> 'active' then 'account_' || a.status
        when q.key is not null and (k.id is null or k.is_revoked) then 'key_revoked'
        when k.is_expired then 'key_expired'
        when coalesce(w.total, 0) < q.floor then 'insufficient'
        when c.ord is not null then null
        when x.is_diem then 'key_diem_limit'
        when not x.is_diem then 'key_usd_limit'
        else 'insufficient'
      end as refusal
    from request q
    left join payer a on a.id = q.account
    left join budget k on k.id = q.key and k.account_id = q.account
    left join wealth w on w.account = q.account
    left join choice c on c.ord = q.ord
    left join capped x on x.ord = q.ord
  ),
  ranked as (
    select j.*,
      sum(j.granted) over (partition by j.account order by j.ord) - j.granted as before,
      sum(j.granted) over (partition by j.account, j.currency order by j.ord) as running,
      sum(j.granted) over (partition by j.key, j.is_diem order by j.ord) as running_of_key
    from judged j where j.refusal is null
  ),
  good as (
    select * from ranked r
    where r.running <= r.available and r.total - r.before >= r.floor
      and (r.key is null or r.left_of_key is null or r.running_of_key <= r.left_of_key)
  ),
  set_aside as (
    update balance b set held = b.held + s.amount
    from (select g.account, g.currency, sum(g.granted)::bigint as amount from good g group by 1, 2) s
    where b.account_id = any(accounts) and b.account_id = s.account and b.currency = s.currency
  ),
  counted as (
    update api_key k set held_usd = k.held_usd + s.usd, held_diem = k.held_diem + s.diem, spent_usd = f.spent_usd,
      spent_diem = f.spent_diem, period_start = f.period_start, floor_usd = f.floor_usd, floor_diem = f.floor_diem
    from (
      select g.key, coalesce(sum(g.granted) filter (where not g.is_diem), 0)::bigint as usd,
        coalesce(sum(g.granted) filter (where g.is_diem), 0)::bigint as diem
      from good g where g.key is not null group by g.key
    ) s
    join budget f on f.id = s.key
    where k.id = any(keys) and k.id = s.key
  ),
  placed as (
    insert into hold (id, account_id, key_id, currency, request_id, amount, expires_at)
    select g.id, g.account, g.key, g.currency, g.request, g.granted, now() + interval '60 seconds' from good g
  )
  select j.ord, j.currency, j.granted::text, j.refusal, j.refusal is null and g.ord is null, j.balances
  from judged j left join good g on g.ord = j.ord;
end $$;
--> statement-breakpoint
-- [{ord, id, by}] → whether each open hold grew. A revoked or expired key and a disabled account get no more.
create function extends(requests jsonb) returns table (ord int, is_granted boolean, again boolean) language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  ids uuid[];
  accounts uuid[];
  keys uuid[];
begin
  select array_agg(distinct r.id) into ids from jsonb_to_recordset(requests) as r(id uuid);
  select array_agg(distinct h.account_id), array_agg(distinct h.key_id) filter (where h.key_id is not null)
    into accounts, keys
  from (select l.* from hold l where l.id = any(ids) order by l.id for no key update offset 0) h
  where h.state = 'open';
  perform lock_money(keys, accounts);

  return query
  with named as materialized (select * from hold h where h.id = any(ids) offset 0),
  purse as materialized (select * from balance b where b.account_id = any(accounts)),
  payer as materialized (select a.id from account a where a.id = any(accounts) and a.status = 'active'),
  budget as materialized (select * from key_budget f where f.id = any(keys)),
  claim as (
    select r.ord, r.id, r.by, h.account_id as account, h.key_id as key, h.currency, h.currency = 'DIEM' as is_diem,
      b.posted - b.held as available, case when h.currency = 'DIEM' then k.left_diem else k.left_usd end as left_of_key
    from jsonb_to_recordset(requests) as r(ord int, id uuid, by bigint)
    join named h on h.id = r.id and h.state = 'open'
    join payer a on a.id = h.account_id
    join purse b on b.account_id = h.account_id and b.currency = h.currency
    left join budget k on k.id = h.key_id
    where h.key_id is null or not (k.is_revoked or k.is_expired)
  ),
  fitting as (select * from claim c where least(c.available, c.left_of_key) >= c.by),
  ranked as (
    select f.*,
      sum(f.by) over (partition by f.account, f.currency order by f.ord) as running,
      sum(f.by) over (partition by f.key, f.is_diem order by f.ord) as running_of_key
    from fitting f
  ),
  good as (
    select * from ranked r
    where r.running <= r.available and (r.key is null or r.left_of_key is null or r.running_of_key <= r.left_of_key)
  ),
  grown as (
    update hold h set amount = h.amount + s.by, expires_at = now() + interval '60 seconds'
    from (select g.id, sum(g.by)::bigint as by from good g group by g.id) s
    where h.id = any(ids) and h.id = s.id
  ),
  set_aside as (
    update balance b set held = b.held + s.amount
    from (select g.account, g.currency, sum(g.by)::bigint as amount from good g group by 1, 2) s
    where b.account_id = any(accounts) and b.account_id = s.account and b.currency = s.currency
  ),
  counted as (
    update api_key k set held_usd = k.held_usd + s.usd, held_diem = k.held_diem + s.diem, spent_usd = f.spent_usd,
      spent_diem = f.spent_diem, period_start = f.period_start, floor_usd = f.floor_usd, floor_diem = f.floor_diem
    from (
      select g.key, coalesce(sum(g.by) filter (where not g.is_diem), 0)::bigint as usd,
        coalesce(sum(g.by) filter (where g.is_diem), 0)::bigint as diem
      from good g where g.key is not null group by g.key
    ) s
    join budget f on f.id = s.key
    where k.id = any(keys) and k.id = s.key
  )
  select r.ord, g.ord is not null, f.ord is not null and g.ord is null
  from jsonb_to_recordset(requests) as r(ord int)
  left join fitting f on f.ord = r.ord
  left join good g on g.ord = r.ord;
end $$;
--> statement-breakpoint
-- Cuts the amounts of a charge's lines, the last first, so that they add up to what was taken.
create function fit_lines(lines jsonb, total bigint) returns jsonb language sql immutable as $$
  select coalesce(jsonb_agg(
    jsonb_set(line, '{amount}', to_jsonb((least(upto, total) - least(upto - amount, total))::text)) order by n), '[]')
  from (
    select line, n, (line ->> 'amount')::bigint as amount, sum((line ->> 'amount')::bigint) over (order by n) as upto
    from jsonb_array_elements(lines) with ordinality as l(line, n)
  ) summed
$$;
--> statement-breakpoint
-- [{ord, id, charge, reason, usage}] → what was taken from each hold that was still open; a charge of nothing releases it.
-- Beyond the hold is taken what the balance and the key's limit allow; the house writes off the rest.
create function captures(requests jsonb)
returns table (id uuid, currency text, charged text, balances jsonb) language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  ids uuid[];
  accounts uuid[];
  keys uuid[];
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

  return query
  with request as (
    select distinct on (r.id) r.ord, r.id, r.charge, r.reason, r.usage
    from jsonb_to_recordset(requests) as r(ord int, id uuid, charge bigint, reason text, usage jsonb)
    order by r.id, r.ord
  ),
  purse as (
    select b.account_id as account, b.currency, b.posted, b.posted - b.held as available
    from balance b where b.account_id = any(accounts)
  ),
  named as materialized (select * from hold h where h.id = any(ids) offset 0),
  budget as materialized (select * from key_budget f where f.id = any(keys)),
  claim as (
    select q.ord, q.id, q.charge, q.reason, q.usage, h.account_id as account, h.key_id as key, h.currency,
      h.currency = 'DIEM' as is_diem, h.request_id as request, h.amount as held, p.posted, p.available,
      least(q.charge, h.amount) as base, greatest(q.charge - h.amount, 0) as beyond,
      case when h.currency = 'DIEM' then k.left_diem else k.left_usd end as left_of_key
    from request q
    join named h on h.id = q.id and h.state = 'open'
    join purse p on p.account = h.account_id and p.currency = h.currency
    left join budget k on k.id = h.key_id
  ),
  ranked as (
    select c.*,
      sum(c.beyond) over (partition by c.account, c.currency order by c.ord) - c.beyond as earlier,
      case when c.key is not null
        then sum(c.beyond) over (partition by c.key, c.is_diem order by c.ord) - c.beyond end as earlier_of_key
    from claim c
  ),
  taken as (
    select r.*,
      greatest(0, least(r.beyond, r.available - r.earlier, r.left_of_key - r.earlier_of_key))::bigint as excess
    from ranked r
  ),
  final as (
    select t.*, t.base + t.excess as total,
      (t.posted - sum(t.base + t.excess) over (partition by t.account, t.currency order by t.ord))::bigint as posted_after
    from taken t
  ),
  short as (select gen_random_uuid() as txn, f.ord, f.id, f.request, f.currency, f.charge - f.total as amount
    from final f where f.charge > f.total),
  ended as (
    update hold h set state = case when f.total > 0 then 'captured' else 'released' end, captured = nullif(f.base, 0),
      excess = f.excess, end_reason = f.reason, ended_at = now()
    from final f where h.id = any(ids) and h.id = f.id
  ),
  change as (
    select f.account, f.currency, sum(f.total)::bigint as total, sum(f.held)::bigint as held from final f group by 1, 2
  ),
  moved as (
    update balance b set posted = b.posted - c.total, held = b.held - c.held
    from change c where b.account_id = any(accounts) and b.account_id = c.account and b.currency = c.currency
  ),
  counted as (
    update api_key k set held_usd = k.held_usd - s.usd_held, held_diem = k.held_diem - s.diem_held,
      spent_usd = f.spent_usd + s.usd, spent_diem = f.spent_diem + s.diem, period_start = f.period_start,
      floor_usd = f.floor_usd, floor_diem = f.floor_diem
    from (
      select x.key, coalesce(sum(x.held) filter (where not x.is_diem), 0)::bigint as usd_held,
        coalesce(sum(x.held) filter (where x.is_diem), 0)::bigint as diem_held,
        coalesce(sum(x.total) filter (where not x.is_diem), 0)::bigint as usd,
        coalesce(sum(x.total) filter (where x.is_diem), 0)::bigint as diem
      from final x where x.key is not null group by x.key
    ) s
    join budget f on f.id = s.key
    where k.id = any(keys) and k.id = s.key
  ),
  made as (
    insert into txn (id, kind, idempotency_key, request_id)
    select f.id, 'charge', 'hold:' || f.id, f.request from final f where f.total > 0
    union all
    select s.txn, 'write_off', 'write-off:' || s.id, s.request from short s
  ),
  written as (
    insert into entry (txn_id, leg, account_id, house, currency, amount, balance_after)
    select l.txn, l.leg, l.account, l.house, l.currency, l.amount, l.balance_after
    from (
      select f.ord, f.id as txn, 1 as leg, f.account, null as house, f.currency, -f.total as amount,
        f.posted_after as balance_after
      from final f where f.total > 0
      union all
      select f.ord, f.id, 2, null, 'revenue', f.currency, f.total, null from final f where f.total > 0
      union all
      select s.ord, s.txn, 1, null, 'write_off', s.currency, -s.amount, null from short s
      union all
      select s.ord, s.txn, 2, null, 'revenue', s.currency, s.amount, null from short s
    ) l
    order by l.ord, l.leg
  ),
  recorded as (
    insert into usage_record (txn_id, account_id, key_id, currency, request_id, model_id, model_type, lines,
      prompt_tokens, completion_tokens, duration_ms, is_estimated)
    select f.id, f.account, f.key, f.currency, f.request, u.model, u.type,
      case when f.total = f.charge then coalesce(u.lines, '[]'::jsonb)
        else fit_lines(coalesce(u.lines, '[]'::jsonb), f.total) end,
      u.prompt, u.completion, u.duration, coalesce(u.estimated, false)
    from final f
    cross join lateral jsonb_to_record(coalesce(f.usage, '{}'::jsonb))
      as u(model text, type text, lines jsonb, prompt int, completion int, duration int, estimated boolean)
    where f.total > 0
  ),
  after as (
    select p.account, jsonb_object_agg(p.currency, (p.available + coalesce(c.held - c.total, 0))::text) as balances
    from purse p
    left join change c on c.account = p.account and c.currency = p.currency
    group by p.account
  )
  select f.id, f.currency, f.total::text, a.balances from final f join after a on a.account = f.account;
end $$;
--> statement-breakpoint
-- [{id, amount, usage}] → the ids that are still open. Without an amount it only says that the work goes on.
create function checkpoints(marks jsonb) returns table (id uuid) language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  ids uuid[];
begin
  select array_agg(distinct l.id) into ids
  from (
    select h.id, h.state from hold h where h.id = any(array(select m.id from jsonb_to_recordset(marks) as m(id uuid)))
    order by h.id for no key update offset 0
  ) l
  where l.state = 'open';

  return query
  update hold h set expires_at = now() + interval '60 seconds', checkpoint = greatest(h.checkpoint, m.amount),
    checkpoint_usage = case when m.amount >= h.checkpoint then m.usage else h.checkpoint_usage end
  from jsonb_to_recordset(marks) as m(id uuid, amount bigint, usage jsonb)
  where h.id = any(ids) and h.id = m.id
  returning h.id;
end $$;
--> statement-breakpoint
-- Ends up to `most` holds whose owner is gone: charges what was delivered by the last checkpoint, gives the rest back.
create function sweep_holds(most int) returns int language plpgsql
set enable_seqscan = off as $$
declare
  expired jsonb;
begin
  select jsonb_agg(jsonb_build_object(
      'ord', e.n, 'id', e.id, 'charge', e.checkpoint::text, 'reason', 'expired', 'usage', e.checkpoint_usage))
    into expired
  from (
    select row_number() over () as n, l.id, l.checkpoint, l.checkpoint_usage
    from (
      select h.id, h.checkpoint, h.checkpoint_usage from hold h
      where h.state = 'open' and h.expires_at < now()
      order by h.expires_at limit most for no key update skip locked
    ) l
  ) e;
  if expired is null then
    return 0;
  end if;
  perform captures(expired);
  return jsonb_array_length(expired);
end $$;
--> statement-breakpoint
-- Gives money to an account, once per key: `applied`, `repeated` (the same again), or `reused` (the key of another credit).
create function credit(to_account uuid, in_currency text, given bigint, of_kind text, from_house text, once text, why text)
returns table (outcome text, balances jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  made uuid;
begin
  insert into balance (account_id, currency) values (to_account, in_currency) on conflict do nothing;
  perform 1 from balance b where b.account_id = to_account and b.currency = in_currency for no key update;
  insert into txn (id, kind, idempotency_key, reason) values (gen_random_uuid(), of_kind, once, why)
    on conflict (idempotency_key) do nothing returning id into made;
  if made is not null then
    outcome := 'applied';
    update balance b set posted = b.posted + given where b.account_id = to_account and b.currency = in_currency;
    insert into entry (txn_id, leg, account_id, house, currency, amount, balance_after)
    select made, 1, to_account, null, in_currency, given, b.posted from balance b
      where b.account_id = to_account and b.currency = in_currency
    union all
    select made, 2, null, from_house, in_currency, -given, null;
  elsif exists (
    select 1 from txn t join entry e on e.txn_id = t.id
    where t.idempotency_key = once and e.account_id = to_account and e.currency = in_currency and e.amount = given
  ) then
    outcome := 'repeated';
  else
    outcome := 'reused';
  end if;
  select jsonb_object_agg(b.currency, (b.posted - b.held)::text) into balances
    from balance b where b.account_id = to_account;
  return next;
end $$;
--> statement-breakpoint
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;
--> statement-breakpoint
create trigger entry_append_only before update or delete or truncate on entry
  for each statement execute function refuse_change();
--> statement-breakpoint
create trigger txn_append_only before update or delete or truncate on txn
  for each statement execute function refuse_change();
--> statement-breakpoint
-- All legs of a transaction are inserted by one statement, so that one look at its rows proves that they add up to zero.
create function refuse_unbalanced() returns trigger language plpgsql as $$
begin
  if exists (select 1 from added a group by a.txn_id, a.currency having sum(a.amount) <> 0) then
    raise exception 'entries do not add up to zero' using errcode = 'check_violation';
  end if;
  return null;
end $$;
--> statement-breakpoint
create trigger entry_balanced after insert on entry referencing new table as added
  for each statement execute function refuse_unbalanced();
--> statement-breakpoint
create function note_limit() returns trigger language plpgsql as $$
begin
  new.floor_usd := new.spent_usd + new.held_usd;
  new.floor_diem := new.spent_diem + new.held_diem;
  return new;
end $$;
--> statement-breakpoint
create trigger api_key_limit before update of limit_usd, limit_diem, limit_period on api_key
  for each row execute function note_limit();
