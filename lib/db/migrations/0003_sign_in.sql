-- The proofs of one moment in one round trip: each is used up, and its wallet's account is found or made.
-- [{ord, address, nonce, hash, ttl, wallet, may_come, welcome}]: `hash` in hex, `ttl` in seconds. A wallet without an account
-- gets one, and `welcome` in nano-dollars; without `may_come` it gets nothing, and its proof stays unused ("crowded").
-- Rows are locked in one order everywhere, so that batches of several processes cannot deadlock: nonces by address and
-- nonce, then accounts by wallet. Tables are asked by arrays of keys, without sequential scans, as in 0001.
create function sign_ins(requests jsonb)
returns table (ord int, outcome text, account uuid, status text, is_pro boolean, rate_multiplier int, is_new boolean)
language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  winners int[];
  addresses text[];
  nonces text[];
  wallets text[];
  known text[];
  newcomers text[];
begin
  select array_agg(distinct r.address), array_agg(distinct r.nonce), array_agg(distinct r.wallet)
    into addresses, nonces, wallets
  from jsonb_to_recordset(requests) as r(address text, nonce text, wallet text);
  select coalesce(array_agg(a.ref), '{}') into known from account a where a.ref = any(wallets);

  -- Of several in one batch the first may have it. A row past its end counts for nothing and is taken over.
  with request as (
    select distinct on (r.address, r.nonce) r.ord, r.address, r.nonce, r.hash, r.ttl
    from jsonb_to_recordset(requests)
      as r(ord int, address text, nonce text, hash text, ttl int, wallet text, may_come boolean)
    where r.may_come or r.wallet = any(known)
    order by r.address, r.nonce, r.ord
  ),
  claimed as (
    insert into sign_in_nonce as n (address, nonce, message_hash, expires_at)
    select q.address, q.nonce, decode(q.hash, 'hex'), now() + make_interval(secs => q.ttl)
    from request q order by q.address, q.nonce
    on conflict (address, nonce) do update set message_hash = excluded.message_hash, expires_at = excluded.expires_at
      where n.expires_at <= now()
    returning n.address, n.nonce
  )
  select array_agg(q.ord) into winners from request q join claimed c on c.address = q.address and c.nonce = q.nonce;

  with made as (
    insert into account (id, kind, ref)
    select gen_random_uuid(), 'wallet', q.wallet
    from (
      select distinct r.wallet from jsonb_to_recordset(requests) as r(ord int, wallet text)
      where r.ord = any(winners) and r.wallet <> all(known)
    ) q
    order by q.wallet
    on conflict (ref) do nothing
    returning ref
  )
  select array_agg(m.ref) into newcomers from made m;

  -- Together with the account, so that a crash between the two cannot lose it.
  perform credit(a.id, 'USD', q.welcome, 'grant', 'promotion', 'welcome:' || a.id, 'Welcome credit')
  from (select a.id, a.ref from account a where a.ref = any(newcomers) order by a.id) a
  join (
    select r.wallet, max(r.welcome) as welcome
    from jsonb_to_recordset(requests) as r(wallet text, welcome bigint) group by r.wallet
  ) q on q.wallet = a.ref
  where q.welcome > 0;

  -- Each statement sees the rows that the ones before it waited for.
  return query
  with used as materialized (
    select * from sign_in_nonce n where n.address = any(addresses) and n.nonce = any(nonces)
  ),
  owner as materialized (select * from account a where a.ref = any(wallets))
  select r.ord,
    case
      when r.ord = any(winners) then 'claimed'
      when not r.may_come and r.wallet <> all(known) then 'crowded'
      when n.message_hash = decode(r.hash, 'hex') and n.expires_at > now() then 'repeated'
      else 'reused'
    end,
    a.id, a.status, a.is_pro, a.rate_multiplier, coalesce(r.wallet = any(newcomers), false)
  from jsonb_to_recordset(requests)
    as r(ord int, address text, nonce text, hash text, wallet text, may_come boolean)
  left join used n on n.address = r.address and n.nonce = r.nonce
  left join owner a on a.ref = r.wallet;
end $$;
