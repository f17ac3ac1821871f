// What a credential may do: "Everything", or the list in words behind a count.
import { scopeWords, wordsForScope } from './scope-words.ts'

export function ScopeList({ scopes }: { scopes: readonly string[] }) {
  if (scopeWords.every(({ scope }) => scopes.includes(scope))) return <span>Everything</span>
  return (
    <details class="consent">
      <summary>{scopes.length === 1 ? '1 thing' : `${scopes.length} things`}</summary>
      <ul class="small">
        {scopes.map((scope) => (
          <li key={scope}>{wordsForScope(scope)}</li>
        ))}
      </ul>
    </details>
  )
}
