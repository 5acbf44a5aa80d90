// The bundler takes style sheets out of the modules that import them.
declare module '*.css'
