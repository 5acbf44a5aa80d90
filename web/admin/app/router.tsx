import { createBrowserRouter } from 'react-router'
import { SignedInOnly } from '../features/sign-in/signed-in-only.tsx'
import { FirstStore } from './first-store.tsx'
import { AppLayout } from './layout/app-layout.tsx'
import { Loading } from './loading.tsx'
import { PAGES } from './pages.ts'
import { NotFoundPage, RouteFailure } from './route-failure.tsx'

export const router = createBrowserRouter(
  [
    {
      errorElement: <RouteFailure />,
      hydrateFallbackElement: <Loading />,
      children: [
        {
          path: 'welcome',
          lazy: async () => ({
            Component: (await import('../features/sign-in/welcome-page.tsx')).WelcomePage
          })
        },
        {
          element: <SignedInOnly />,
          children: [
            { index: true, element: <FirstStore /> },
            {
              path: 'stores/:store',
              element: <AppLayout />,
              children: [
                {
                  // Inside of the layout, so that the navigation stays.
                  errorElement: <RouteFailure />,
                  children: [
                    ...PAGES.map(({ path, load }) => ({ path, lazy: async () => ({ Component: await load() }) })),
                    { path: '*', element: <NotFoundPage /> }
                  ]
                }
              ]
            }
          ]
        },
        { path: '*', element: <NotFoundPage /> }
      ]
    }
  ],
  { basename: '/admin' }
)
