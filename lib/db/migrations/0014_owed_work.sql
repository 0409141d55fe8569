-- As in 0013_leases.sql, with `owed`: work that was done already and cost more than was set aside for it. It is paid although the
-- account was blocked or the key revoked meanwhile; the limits of the key and the balance count as for all other requests.
create or replace function leases(of_process uuid, requests jsonb)
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
      greatest(least(r.minimum, r.amount), 1) as minimum, coalesce(r.owed, false) as owed
    from jsonb_to_recordset(requests) as r(ord int, account uuid, key uuid, currency text, amount bigint,
      minimum bigint, floor bigint, pending bigint, free jsonb, extra bigint, owed boolean)
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
        when not q.owed and a.status <> 'active' then 'account_' || a.status
        when not q.owed and q.key is not null and (k.id is null or k.is_revoked) then 'key_revoked'
        when not q.owed and k.is_expired then 'key_expired'
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
