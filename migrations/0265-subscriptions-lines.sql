-- expand: code from 0016 can run on this schema.
-- What a cycle of a contract costs by line, after all present discounts, and how many pieces a line is of, as the contract was last read: the
-- platform takes a discount off each line, and rounds there.
alter table subscriptions
  drop column pieces,
  add column line_charges_minor bigint[] not null default '{}',
  add column line_quantities int[] not null default '{}',
  add constraint subscriptions_lines_check check (cardinality(line_charges_minor) = cardinality(line_quantities));
