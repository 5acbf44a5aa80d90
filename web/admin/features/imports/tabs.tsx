import { useTexts } from '../../shared/texts/language.tsx'
import { PageTabs } from '../../shared/ui/page-tabs.tsx'
import { useImportsTexts } from './texts.ts'

export function Tabs() {
  const { pages } = useTexts()
  const { tabs } = useImportsTexts()
  return (
    <PageTabs
      label={pages.imports}
      tabs={[
        { path: 'imports', name: tabs.members },
        { path: 'imports/platform', name: tabs.platform }
      ]}
    />
  )
}
