-- expand: code from 0016 can run on this schema.
-- forbid_activity_changes() lets the words about an erased person be replaced.
comment on table contract_activities is 'Never changed, except that the words about a person are replaced when that person is erased';
