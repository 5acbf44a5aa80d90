import { createBrowserRouter } from 'react-router'
import { SignedInOnly } from '../features/sign-in/signed-in-only.tsx'
import { FirstStore } from './first-store.tsx'
import { AppLayout } from './layout/app-layout.tsx'
import { Loading } from './loading.tsx'
import { NotFoundPage, RouteFailure } from './route-failure.tsx'

/** Every page is a chunk of its own, which is loaded when the page is opened. */
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
                    {
                      index: true,
                      lazy: async () => ({
                        Component: (await import('../features/overview/overview-page.tsx')).OverviewPage
                      })
                    },
                    {
                      path: 'members',
                      lazy: async () => ({
                        Component: (await import('../features/members/members-page.tsx')).MembersPage
                      })
                    },
                    {
                      path: 'members/:customer',
                      lazy: async () => ({
                        Component: (await import('../features/members/member-page.tsx')).MemberPage
                      })
                    },
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
