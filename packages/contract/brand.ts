// How what a host publishes looks: their name, logo and two colours. Of an account, and of a talk, which goes before it.
import { z } from 'zod'
import { limits, webUrl, words } from './fields.ts'

const colour = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, 'send a colour as `#rrggbb`.')
  .toLowerCase()

export const brand = z.object({
  name: words(limits.presenterName).describe('Of the host: a person or an organisation.').optional(),
  logoUrl: webUrl.describe('PNG, JPEG, WebP or SVG, fetched once; or the answer of `POST .../logos`.').optional(),
  accent: colour.describe('Buttons, links, progress: `#0f6b4f`.').optional(),
  paper: colour.describe('The background.').optional(),
  hideFooter: z.boolean().describe('Leaves out the line that names this service.').optional(),
  logo: z
    .object({ width: z.number(), height: z.number(), ink: colour })
    .describe('Made by the server: its size, and the colour that it mostly is.')
    .optional(),
})
export type Brand = z.output<typeof brand>
