# The dashboard on a server, as docs/deploy.md describes: PORT, ROOT_PATH and HOSTS (the names it answers to, separated by
# spaces) come from the environment.
FROM python:3.12-slim
WORKDIR /srv/tiecore
COPY . .
RUN TIECORE_KERNEL=off pip install --no-cache-dir --constraint constraints.txt ".[dashboard]"
RUN useradd --create-home --uid 1000 visitor
USER visitor
ENV PORT=8501 ROOT_PATH="" HOSTS=localhost MALLOC_ARENA_MAX=2 ARROW_DEFAULT_MEMORY_POOL=system
EXPOSE 8501
HEALTHCHECK --start-period=30s CMD python -c "from urllib.request import urlopen; urlopen('http://127.0.0.1:$PORT/${ROOT_PATH:+$ROOT_PATH/}_stcore/health')"
CMD STREAMLIT_SERVER_ALLOWED_HOSTS="127.0.0.1 $HOSTS" exec python -m streamlit run dashboard/app.py --server.address=0.0.0.0 --server.port=$PORT --server.baseUrlPath=$ROOT_PATH
