-- The idempotency key of a payment's transactions, the first time and after reversals.
create function payment_txn_key(of_kind text, payment_key text, reversals int) returns text language sql immutable as $$
  select of_kind || ':' || payment_key || case when reversals = 0 then '' else ':again:' || reversals end
$$;
--> statement-breakpoint
-- What a wallet is told that it has: dollars, paid in and bundled.
create function dollars_of(of_account uuid) returns bigint language sql stable as $$
  select coalesce(sum(b.posted - b.held), 0)::bigint from balance b
  where b.account_id = of_account and b.currency in ('USD', 'BUNDLED_CREDITS')
$$;
--> statement-breakpoint
-- Whether a payment may still admit the request that it came with, which alone knows `proof`: once it is settled everybody
-- can read the payment itself on its chain.
create function can_serve(p payment, proof text) returns boolean language sql stable as $$
  select p.may_serve and p.payload ->> 'proof' = proof and p.created_at > now() - interval '15 minutes'
$$;
--> statement-breakpoint
-- Credits what moved on chain to the wallet that paid, once, and closes the payment with it. `proof` is of the request that
-- the payment may serve: `served` says that it was the one, also when another credited the payment a moment before. What an
-- earlier reversal wrote off is made good first.
-- Locks: the payment, then the balance, as everywhere.
create function credit_payment(
  of_payment uuid, in_transaction text, at_block bigint, moved bigint, is_last boolean, proof text
)
returns table (outcome text, account_id uuid, served boolean) language plpgsql as $$
#variable_conflict use_column
declare
  p payment;
  due constant bigint := moved * 1000;
  recovered bigint;
  made uuid := gen_random_uuid();
  once text;
begin
  select * into p from payment x where x.id = of_payment for no key update;
  if not found then
    return;
  end if;
  insert into account (id, kind, ref) values (gen_random_uuid(), 'wallet', p.payer) on conflict (ref) do nothing;
  select a.id into account_id from account a where a.ref = p.payer;
  served := proof is not null and can_serve(p, proof);
  if p.state = 'credited' then
    outcome := 'repeated';
    update payment x set may_serve = false where x.id = of_payment and credit_payment.served;
    return next;
    return;
  end if;

  outcome := 'applied';
  once := payment_txn_key('topup', p.key, p.reversals);
  recovered := least(p.written_off, due);
  if recovered = 0 then
    if (select c.outcome from credit(account_id, 'USD', due, 'credit', 'clearing', once, 'Top-up') c) <> 'applied' then
      raise exception 'the transaction % is there, but its payment is not credited', once;
    end if;
  else
    insert into balance (account_id, currency) values (account_id, 'USD') on conflict do nothing;
    perform 1 from balance b where b.account_id = credit_payment.account_id and b.currency = 'USD' for no key update;
    insert into txn (id, kind, idempotency_key, reason) values (made, 'credit', once, 'Top-up, once more');
    update balance b set posted = b.posted + due - recovered
      where b.account_id = credit_payment.account_id and b.currency = 'USD';
    insert into entry (txn_id, leg, account_id, house, currency, amount, balance_after)
    select l.txn, l.leg, l.account, l.house, 'USD', l.amount, l.after from (
      select made as txn, 1 as leg, b.account_id as account, null as house, due - recovered as amount, b.posted as after
      from balance b where b.account_id = credit_payment.account_id and b.currency = 'USD'
      union all select made, 2, null, 'clearing', -due, null
      union all select made, 3, null, 'write_off', recovered, null
    ) l where l.amount <> 0;
  end if;

  update payment x set state = 'credited', transaction = in_transaction, block = at_block, amount = moved,
    is_final = is_last, credited_at = now(), balance_after = dollars_of(credit_payment.account_id), reason = null,
    may_serve = x.may_serve and not credit_payment.served, lease_until = null, misses = 0, written_off = 0,
    next_check_at = now() + interval '10 seconds'
  where x.id = of_payment;
  return next;
end $$;
--> statement-breakpoint
-- Takes back what a chain took back, as far as the balance reaches; the house writes off the rest. Only by who leased the
-- payment last: what others have seen since is newer.
create function reverse_payment(of_payment uuid, by_attempt int, why text)
returns table (taken text, written_off text) language plpgsql as $$
#variable_conflict use_column
declare
  p payment;
  wallet uuid;
  due bigint;
  have bigint;
  made uuid := gen_random_uuid();
begin
  select * into p from payment x where x.id = of_payment and x.attempts = by_attempt
    and x.state = 'credited' and not x.is_final for no key update;
  if not found then
    return;
  end if;
  due := p.amount * 1000;
  select a.id into wallet from account a where a.ref = p.payer;
  select b.posted - b.held into have from balance b
    where b.account_id = wallet and b.currency = 'USD' for no key update;
  have := least(coalesce(have, 0), due);
  insert into txn (id, kind, idempotency_key, reason)
    values (made, 'reversal', payment_txn_key('reversal', p.key, p.reversals), why);
  update balance b set posted = b.posted - have where b.account_id = wallet and b.currency = 'USD';
  insert into entry (txn_id, leg, account_id, house, currency, amount, balance_after)
  select l.txn, l.leg, l.account, l.house, 'USD', l.amount, l.after from (
    select made as txn, 1 as leg, b.account_id as account, null as house, -have as amount, b.posted as after
    from balance b where b.account_id = wallet and b.currency = 'USD'
    union all select made, 2, null, 'clearing', due, null
    union all select made, 3, null, 'write_off', have - due, null
  ) l where l.amount <> 0;
  update payment x set state = 'reversed', reason = why, reversals = x.reversals + 1, written_off = due - have,
    may_serve = false, lease_until = null, next_check_at = now() + interval '10 seconds'
  where x.id = of_payment;
  taken := have::text;
  written_off := (due - have)::text;
  return next;
end $$;
--> statement-breakpoint
-- The end of a payment is open while nobody knows it, and while its chain may still change its mind: what was taken back
-- may have seemed gone only.
create index payment_reversed on payment (next_check_at) where state = 'reversed' and not is_final;
--> statement-breakpoint
-- Up to `most` payments whose end is open, and as many that were reversed, leased to the caller: those whose time has come,
-- or all of them, but none that were `seen` before.
create function due_payments(most int, lease_seconds int, is_early boolean, seen uuid[]) returns setof payment
language sql as $$
  update payment x set lease_until = now() + make_interval(secs => lease_seconds), attempts = x.attempts + 1
  where x.id = any(array(
    select p.id from payment p
    where (p.state in ('received', 'settling', 'unknown', 'confirming') or (p.state = 'credited' and not p.is_final))
      and (is_early or p.next_check_at <= now()) and (p.lease_until is null or p.lease_until < now())
      and p.id <> all(seen)
    order by p.next_check_at limit most for no key update skip locked
  ) || array(
    select p.id from payment p
    where p.state = 'reversed' and not p.is_final
      and (is_early or p.next_check_at <= now()) and (p.lease_until is null or p.lease_until < now())
      and p.id <> all(seen)
    order by p.next_check_at limit most for no key update skip locked
  ))
  returning x.*
$$;
