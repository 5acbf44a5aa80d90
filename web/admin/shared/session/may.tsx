import type { ReactNode } from 'react'
import { useMe } from './me.ts'

/** What routes of the admin API ask of their caller. */
export type Permission = 'view' | 'support' | 'develop' | 'manage' | 'install'

/** Whether the role of whoever is signed in has a permission. The service decides again. */
export const useMay = (permission: Permission): boolean => useMe()?.permissions.includes(permission) ?? false

/** Shows actions only to those who may do them. */
export function May({ permission, children }: { permission: Permission; children: ReactNode }) {
  return useMay(permission) && children
}
