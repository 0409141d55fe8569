-- As in 0013_leases.sql, in two statements. One that locked rows and updated them itself did so through the versions that it
-- had seen first: where a row had changed meanwhile it asked for the lock of the newest version again, behind another process
-- that had queued there and waited for this one.
create or replace function recall_leases(of_process uuid, of_account uuid) returns boolean language plpgsql
set enable_seqscan = off as $$
declare
  ids uuid[];
begin
  select array_agg(l.id) into ids
  from (
    select r.id from lease r where r.account_id = of_account and r.process_id <> of_process and r.amount > 0
    order by r.id for no key update
  ) l;
  update lease l set is_recalled = true where l.id = any(ids);
  if found then
    perform pg_notify('ledger', 'recall ' || of_account || ' ' || of_process);
    return true;
  end if;
  return false;
end $$;
