// Style sheets are imported for their effect alone; the bundler takes them.
declare module '*.css' {}
