"""The least that a page of Streamlit with a chart can be: what the waits at the dashboard are held against."""

import plotly.graph_objects as go
import streamlit as st

first = int(st.selectbox("First point", [str(number) for number in range(1, 6)], key="first"))
st.plotly_chart(go.Figure(go.Scatter(x=list(range(5)), y=[first, 2, 4, 3, 5], mode="lines+markers")), key="chart")
