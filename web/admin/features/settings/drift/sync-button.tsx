import { useKnownStore } from '../../../shared/api/stores.ts'
import { May } from '../../../shared/session/may.tsx'
import { ConfirmButton } from '../../../shared/ui/confirm-button.tsx'
import { syncMetafields } from '../queries.ts'
import { useSettingsTexts } from '../texts.ts'

/** Has the metafields of the shop and of all customers compared and written again. `of`: which one it is beside, for screen readers. */
export function SyncButton({ of }: { of?: string }) {
  const { id } = useKnownStore()
  const { sync, syncAll } = useSettingsTexts()
  return (
    <May permission="develop">
      <ConfirmButton
        {...sync}
        {...(of === undefined ? { label: syncAll } : { 'aria-label': `${sync.label}: ${of}` })}
        change={() => syncMetafields(id)}
      />
    </May>
  )
}
