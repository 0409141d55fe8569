-- Takes up to `most` of what an account may spend (posted less held), once per key: `applied`, `repeated` (with what was
-- taken then), `nothing` (there was nothing to take, so nothing is written and the key stays free), or `reused` (the key
-- of something else).
create function debit_available(to_account uuid, in_currency text, most bigint, of_kind text, to_house text, once text, why text)
returns table (outcome text, taken text) language plpgsql
set enable_seqscan = off as $$
#variable_conflict use_column
declare
  available bigint;
  earlier bigint;
  sum_taken bigint;
  made uuid;
begin
  select b.posted - b.held into available from balance b
    where b.account_id = to_account and b.currency = in_currency for no key update;

  select -e.amount into earlier from txn t join entry e on e.txn_id = t.id
    where t.idempotency_key = once and t.kind = of_kind and e.account_id = to_account and e.currency = in_currency;
  if earlier is not null then
    return query select 'repeated', earlier::text;
    return;
  end if;

  -- `least` passes over a null: an account without this currency has nothing.
  sum_taken := least(most, coalesce(available, 0));
  if sum_taken <= 0 then
    return query select 'nothing', '0';
    return;
  end if;

  insert into txn (id, kind, idempotency_key, reason) values (gen_random_uuid(), of_kind, once, why)
    on conflict (idempotency_key) do nothing returning id into made;
  if made is null then
    return query select 'reused', '0';
    return;
  end if;
  update balance b set posted = b.posted - sum_taken where b.account_id = to_account and b.currency = in_currency;
  insert into entry (txn_id, leg, account_id, house, currency, amount, balance_after)
  select made, 1, to_account, null, in_currency, -sum_taken, b.posted from balance b
    where b.account_id = to_account and b.currency = in_currency
  union all
  select made, 2, null, to_house, in_currency, sum_taken, null;
  return query select 'applied', sum_taken::text;
end $$;
--> statement-breakpoint
-- The credit of one UTC day, `of_day` as YYYY-MM-DD: what is left of earlier days expires, then what the day lacks of
-- `given` is granted. Any number of processes may ask at once and again: the balance's lock makes one of them first, and
-- the others find its row. Less than was granted already takes nothing back. A day that is over gets nothing (`late`).
-- All DIEM comes from here, so all that may be spent when the day begins is left over. What an open hold keeps goes to
-- its request; what that gives back after midnight is spent or expires with the new day.
create function grant_allowance(to_account uuid, of_day text, given bigint)
returns table (outcome text, granted text, expired text) language plpgsql
set enable_seqscan = off as $$
#variable_conflict use_column
declare
  last_day text;
  already bigint;
  left_over text := '0';
begin
  -- What most calls find: nothing to write, so nothing to lock.
  select a.granted into already from allowance a where a.account_id = to_account and a.day = of_day;
  if already >= given then
    return query select 'kept', already::text, '0';
    return;
  end if;
  if already is null and given <= 0 and not exists (
    select 1 from balance b where b.account_id = to_account and b.currency = 'DIEM' and b.posted > b.held
  ) then
    return query select 'kept', '0', '0';
    return;
  end if;

  insert into balance (account_id, currency) values (to_account, 'DIEM') on conflict do nothing;
  perform 1 from balance b where b.account_id = to_account and b.currency = 'DIEM' for no key update;
  select a.day, a.granted into last_day, already from allowance a
    where a.account_id = to_account order by a.day desc limit 1;
  if last_day > of_day then
    return query select 'late', '0', '0';
    return;
  end if;

  if last_day is distinct from of_day then
    select d.taken into left_over from debit_available(to_account, 'DIEM', 9223372036854775807, 'expire', 'promotion',
      'expire:' || to_account || ':' || of_day, 'Daily credit that was not spent') d;
    insert into allowance (account_id, day, granted) values (to_account, of_day, 0);
    already := 0;
  end if;
  if given > already then
    perform credit(to_account, 'DIEM', given - already, 'grant', 'promotion',
      'allowance:' || to_account || ':' || of_day || ':' || given, 'Daily credit of staked tokens');
    update allowance a set granted = given where a.account_id = to_account and a.day = of_day;
    return query select 'granted', given::text, left_over;
    return;
  end if;
  return query select 'kept', already::text, left_over;
end $$;
