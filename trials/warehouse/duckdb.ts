import { DuckDBInstance } from '@duckdb/node-api'

/** A value of DuckDB as text: decimals keep their digits; null for NULL. */
export type WarehouseRow = Record<string, string | null>

export type Warehouse = {
  run(sql: string): Promise<void>
  rows(sql: string): Promise<WarehouseRow[]>
  close(): void
}

/** An empty DuckDB in memory, which finds files in `folder`. It may neither fetch nor load extensions. */
export async function openWarehouse(folder: string): Promise<Warehouse> {
  const instance = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    threads: '1',
    file_search_path: folder
  })
  const connection = await instance.connect()
  return {
    run: async (sql) => void (await connection.run(sql)),
    async rows(sql) {
      const reader = await connection.runAndReadAll(sql)
      return reader
        .getRowObjectsJson()
        .map((row) =>
          Object.fromEntries(
            Object.entries(row).map(([name, value]) => [name, value === null ? null : String(value)] as const)
          )
        )
    },
    close() {
      connection.closeSync()
      instance.closeSync()
    }
  }
}
