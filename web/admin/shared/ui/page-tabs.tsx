import { NavLink } from 'react-router'
import { useKnownStore } from '../api/stores.ts'

type Tab = { path: string; name: string }

/** The pages of one area, each with an address of its own. `label` names the area for screen readers; the first tab is the area's own address. */
export function PageTabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  const { id } = useKnownStore()
  return (
    <nav aria-label={label} className="page-tabs">
      {tabs.map(({ path, name }, i) => (
        <NavLink key={path} to={`/stores/${id}/${path}`} end={i === 0}>
          {name}
        </NavLink>
      ))}
    </nav>
  )
}
