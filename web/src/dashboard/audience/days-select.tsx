// Of which days figures and people are shown.
export function DaysSelect({ days, onChange }: { days: number | undefined; onChange: (days: string) => void }) {
  return (
    <select class="input filter" aria-label="Time" onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">Any time</option>
      {[7, 30, 90].map((each) => (
        <option key={each} value={each} selected={each === days}>
          Last {each} days
        </option>
      ))}
    </select>
  )
}
