import { defineMetric } from '#kit/metrics'

export const requestDuration = defineMetric({
  name: 'http.server.request.duration.seconds',
  kind: 'histogram',
  help: 'Duration of requests',
  labels: {
    'http.request.method': 'the method',
    'http.route': 'the pattern of the route, never the URL',
    'http.response.status_code': 'the status'
  },
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})
