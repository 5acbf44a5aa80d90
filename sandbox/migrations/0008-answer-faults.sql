-- expand: code from 0001 can run on this schema.
-- Answers of mutations that are lost by script, and the number of mutations since it was set.
alter table sandbox.shops
  add column answer_faults jsonb,
  add column faulty_answers bigint not null default 0;
