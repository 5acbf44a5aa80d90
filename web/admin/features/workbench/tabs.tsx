import { useMay } from '../../shared/session/may.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { PageTabs } from '../../shared/ui/page-tabs.tsx'
import { useWorkbenchTexts } from './texts.ts'

export function Tabs() {
  const { pages } = useTexts()
  const { tabs } = useWorkbenchTexts()
  const maySeeChanges = useMay('install')
  return (
    <PageTabs
      label={pages.workbench}
      tabs={[
        { path: 'workbench', name: tabs.events },
        { path: 'workbench/dead-letters', name: tabs.deadLetters },
        ...(maySeeChanges ? [{ path: 'workbench/requests', name: tabs.requests }] : [])
      ]}
    />
  )
}
