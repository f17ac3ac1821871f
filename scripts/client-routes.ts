// Writes client/routes.ts from the list of operations: method and address of everything that HTTP offers as JSON. A test fails
// when the file is behind the list.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { routesText } from '../test/support/client-routes.ts'

writeFileSync(fileURLToPath(new URL('../client/routes.ts', import.meta.url)), routesText())
