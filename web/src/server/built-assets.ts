// Where the built files lie; web/build.mjs writes the object in.

export interface BuiltAssets {
  styles: readonly string[]
  /** The one web font, without a leading slash. */
  font: string | null
  roomScript: string | null
  roomCss: string
  dashboardScript: string | null
  dashboardStyles: readonly string[]
  dashboardPreload: readonly string[]
}

declare const ROSTRUM_ASSETS: BuiltAssets

export const builtAssets: BuiltAssets = ROSTRUM_ASSETS
