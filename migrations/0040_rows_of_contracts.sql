-- Messages of the platform about contracts that we do not know ask whether an import has them in its rows.
create index import_rows_of_contract on import_rows (store_id, platform_contract_id) where platform_contract_id is not null;
