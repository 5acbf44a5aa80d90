import type { SendMail } from '#identification'
import type { AnyJob } from '#kit/jobs'
import type { Database } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import type { Connector } from '#platform'
import type { WalletUrls } from '#wallet'
import * as jobList from './job-list.ts'

type Deps = {
  db: Database
  vault: Vault
  connectorOf: (storeId: number) => Promise<Connector>
  sendMail: SendMail
  walletUrls?: WalletUrls | undefined
}

/** Every job, in any order: each declares its priority. */
export const jobs: AnyJob<Deps>[] = Object.values<AnyJob<Deps>>(jobList)
