import { useMay } from '../../shared/session/may.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { PageTabs } from '../../shared/ui/page-tabs.tsx'
import { useImportsTexts } from './texts.ts'

export function Tabs() {
  const { pages } = useTexts()
  const { tabs } = useImportsTexts()
  const mayManage = useMay('manage')
  return (
    <PageTabs
      label={pages.imports}
      tabs={[
        { path: 'imports', name: tabs.members },
        { path: 'imports/platform', name: tabs.platform },
        ...(mayManage
          ? [
              { path: 'imports/credit', name: tabs.credit },
              { path: 'imports/loyalty', name: tabs.loyalty }
            ]
          : [])
      ]}
    />
  )
}
