// Receives the webhooks of a round: answers each POST with 204 and takes as little of the machine as it can, because a receiver is
// another machine's business. Prints its port; ends with its standard input.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS 4096
#define LONGEST 65536

// What has come of a request, by socket.
static struct { char *text; size_t length; } coming[CONNECTIONS];
// As long as that of a server in common use, so that it costs its reader the same.
static const char answer[] = "HTTP/1.1 204 No Content\r\nDate: Fri, 20 Nov 2026 12:00:00 GMT\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\n\r\n";

static void fail(const char *what) { perror(what); exit(1); }

// How long the first request is, in bytes; 0 while some of it is missing.
static size_t whole(const char *text) {
  const char *end = strstr(text, "\r\n\r\n");
  const char *length = strcasestr(text, "\r\ncontent-length:");
  if (!end || !length || length > end) return 0;
  return (size_t)(end - text) + 4 + strtoul(length + 17, 0, 10);
}

int main(void) {
  int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof own;
  if (listener < 0 || bind(listener, (struct sockaddr *)&own, size) || listen(listener, 1024)) fail("listen");
  if (getsockname(listener, (struct sockaddr *)&own, &size)) fail("port");
  printf("%d\n", ntohs(own.sin_port));
  fflush(stdout);
  int readiness = epoll_create1(0);
  int watched[] = {0, listener};
  for (int i = 0; i < 2; i++) {
    struct epoll_event want = {.events = EPOLLIN, .data = {.fd = watched[i]}};
    if (epoll_ctl(readiness, EPOLL_CTL_ADD, watched[i], &want) && watched[i] == listener) fail("epoll");
  }
  struct epoll_event ready[256];
  for (;;) {
    int n = epoll_wait(readiness, ready, 256, -1);
    for (int i = 0; i < n; i++) {
      int s = ready[i].data.fd;
      if (s == 0) return 0;
      if (s == listener) {
        int caller = accept(listener, 0, 0);
        if (caller < 0 || caller >= CONNECTIONS) fail("accept");
        setsockopt(caller, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        if (!coming[caller].text && !(coming[caller].text = malloc(LONGEST + 1))) fail("memory");
        coming[caller].length = 0;
        struct epoll_event want = {.events = EPOLLIN, .data = {.fd = caller}};
        epoll_ctl(readiness, EPOLL_CTL_ADD, caller, &want);
        continue;
      }
      char *text = coming[s].text;
      size_t *length = &coming[s].length;
      ssize_t got = read(s, text + *length, LONGEST - *length);
      if (got <= 0) { close(s); continue; }
      *length += (size_t)got;
      text[*length] = 0;
      for (size_t request; (request = whole(text)) && request <= *length;) {
        if (write(s, answer, sizeof answer - 1) < 0) break;
        *length -= request;
        memmove(text, text + request, *length + 1);
      }
    }
  }
}
