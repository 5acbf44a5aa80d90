import { useEffect, useRef } from 'react'
import { NavLink, useLocation } from 'react-router'
import { useKnownStore } from '../api/stores.ts'

type Tab = { path: string; name: string }

/** The pages of one area, each with an address of its own. `label` names the area for screen readers; the first tab is the area's own address. */
export function PageTabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  const { id } = useKnownStore()
  const { pathname } = useLocation()
  const nav = useRef<HTMLElement>(null)
  // On a narrow screen the tab that is shown may be beyond the edge.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address says which tab is shown.
  useEffect(() => {
    nav.current?.querySelector('[aria-current=page]')?.scrollIntoView({ inline: 'center', block: 'nearest' })
  }, [pathname])
  return (
    <nav aria-label={label} className="page-tabs" ref={nav}>
      {tabs.map(({ path, name }, i) => (
        <NavLink key={path} to={`/stores/${id}/${path}`} end={i === 0}>
          {name}
        </NavLink>
      ))}
    </nav>
  )
}
