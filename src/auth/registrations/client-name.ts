// What an agent or client calls itself: shown to people as unverified text, so it can neither hide characters nor reorder them.
import { z } from 'zod'

/** Controls, zero-width and bidirectional characters, other format characters, separators, lone surrogates, private use. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/u

export const clientName = z
  .string()
  .max(1_000)
  .transform((text) => text.normalize('NFC').trim())
  .refine((text) => text.length > 0 && Array.from(text).length <= 100, 'send 1 to 100 characters.')
  .refine((text) => !hidden.test(text), 'must not hold control, zero-width or bidirectional characters.')
