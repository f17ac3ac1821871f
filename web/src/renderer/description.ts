// What should be in the page, as JSX makes it.

/** What JSX may hold: things to draw, and things that are not drawn. */
export type Child = Description | string | number | boolean | null | undefined | readonly Child[]
export type Props = Readonly<Record<string, unknown>> & { readonly children?: Child }
export type Component = (props: Props) => Child

/** A component, an element, or a text (`#text`, whose one prop is `text`). */
export interface Description {
  type: string | Component
  props: Props
  key?: unknown
}
