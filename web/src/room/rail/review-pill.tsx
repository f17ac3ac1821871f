// Says that another slide is looked at than the live one, and leads back; fetched when somebody first looks, and stands in the place of the controls.
import { Button } from '../../ui/button.tsx'
import { useRoom } from '../use-room.ts'
import { isOver } from '../view.ts'

export function ReviewPill() {
  const { t, view, controller } = useRoom()
  const { review, room } = view
  if (review === null) return null
  const away = room.slideIndex - review
  return (
    <div class="review">
      <span>{away > 0 ? t('review.pill_back', { n: away }) : t('review.pill_ahead', { n: -away })}</span>
      <Button dense onClick={() => controller?.review(null)}>
        {t('review.return')}
      </Button>
      {controller?.isolated && !isOver(view) && (
        <Button dense kind="quiet" onClick={() => controller.move('goto', review)}>
          {t('review.jump')}
        </Button>
      )}
    </div>
  )
}
