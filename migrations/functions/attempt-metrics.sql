-- The metrics of a billing attempt; a day that is null leaves its part out. Attempts that were voided or superseded never
-- reached the platform.
create or replace function attempt_metrics(status text, error_code text, amount_minor bigint, recovered boolean, opened date, ended date)
returns table (day date, metric text, amount numeric) language sql immutable as $$
  select m.day, m.metric, m.amount
    from (values
      (opened, 'charges_pending', 1::numeric),
      (ended, 'charges_pending', -1),
      (ended, 'charges_succeeded', (status = 'success')::int),
      (ended, 'charges_failed', (status = 'failed' and error_code not in ('voided', 'superseded'))::int),
      (ended, 'revenue', case when status = 'success' then amount_minor else 0 end),
      (ended, 'recovered', case when status = 'success' and recovered then amount_minor else 0 end)
    ) m(day, metric, amount)
   where m.day is not null and m.amount <> 0
$$;
