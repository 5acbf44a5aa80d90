-- expand: code from 0001 can run on this schema.
-- An inquiry may become a chargeback; null: it is what it began as.
alter table sandbox.disputes add column initiated_as text;
